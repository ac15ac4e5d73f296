package peer

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"stoa.dev/stoa/internal/service/generate/api"
)

// newRequest writes a prompt in this API's own words again. Cached content is
// unfolded and files are inside: they live here, not there.
func newRequest(ctx context.Context, p *api.Prompt, candidate int) (*api.Request, error) {
	config := p.Config
	config.CandidateCount, config.Seed = nil, p.Seed(candidate)
	store := false
	r := &api.Request{GenerationConfig: &config, Store: &store}
	if p.System != "" {
		r.SystemInstruction = &api.Content{Parts: []api.Part{api.Text(p.System)}}
	}
	for _, c := range p.Contents {
		turn := api.Content{Role: c.Role}
		for _, part := range c.Parts {
			if part.FileData != nil {
				kind, data, err := p.Media(ctx, part.FileData)
				if err != nil {
					return nil, err
				}
				part.FileData = nil
				part.InlineData = &api.InlineData{MimeType: kind, Data: base64.StdEncoding.EncodeToString(data)}
			}
			turn.Parts = append(turn.Parts, part)
		}
		r.Contents = append(r.Contents, turn)
	}
	return r, setTools(r, p)
}

func setTools(r *api.Request, p *api.Prompt) error {
	var tools []api.Tool
	if p.Code {
		tools = append(tools, api.Tool{CodeExecution: json.RawMessage(`{}`)})
	}
	var declared []api.FunctionDeclaration
	for _, f := range p.AllowedFunctions() {
		d := api.FunctionDeclaration{Name: f.Name, Description: f.Description}
		if f.Parameters != nil {
			raw, err := json.Marshal(f.Parameters)
			if err != nil {
				return api.ErrInvalidField("tools", "the parameters of %s are not JSON", f.Name)
			}
			d.ParametersJSONSchema = raw
		}
		declared = append(declared, d)
	}
	if len(declared) > 0 {
		tools = append(tools, api.Tool{FunctionDeclarations: declared})
		r.ToolConfig = &api.ToolConfig{FunctionCallingConfig: &api.FunctionCallingConfig{Mode: p.Mode}}
	}
	r.Tools = tools
	return nil
}

// chunk is one event of a peer's stream.
type chunk struct {
	api.Response
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// reader passes a peer's chunks on, each at once.
type reader struct {
	prompt *api.Prompt
	emit   func(api.Piece) error
	begun  bool
	ended  bool
}

func (r *reader) chunk(c *chunk) error {
	if c.Error != nil {
		return api.ErrUnavailable(nil, "the model's server broke off: %s", c.Error.Message)
	}
	if f := c.PromptFeedback; f != nil && f.BlockReason != "" {
		r.begun, r.ended = true, true
		return r.emit(api.Piece{Block: f.BlockReason})
	}
	if len(c.Candidates) == 0 {
		return nil // only counts
	}
	from := c.Candidates[0]
	u := c.UsageMetadata
	piece := api.Piece{
		Finish: from.FinishReason, Message: from.FinishMessage,
		Counts: &api.Counts{
			Prompt: u.PromptTokenCount, Completion: u.CandidatesTokenCount, Thoughts: u.ThoughtsTokenCount,
		},
	}
	if from.Content != nil {
		for _, part := range from.Content.Parts {
			if !part.Thought || r.prompt.Thoughts {
				piece.Parts = append(piece.Parts, part)
			}
		}
	}
	if lp := from.LogprobsResult; lp != nil {
		piece.Logprobs, piece.Top = lp.ChosenCandidates, lp.TopCandidates
	}
	r.begun, r.ended = true, piece.Finish != ""
	return r.emit(piece)
}

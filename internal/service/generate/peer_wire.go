package generate

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
)

// peerRequest says a prompt in this API's own words again. Cached content is
// unfolded and files are inside: they live here, not there.
func peerRequest(ctx context.Context, p *Prompt, candidate int) (*Request, error) {
	config := p.Config
	config.CandidateCount = nil
	if config.Seed != nil {
		// Candidates of one seed must differ and still repeat.
		seed := *config.Seed + int32(candidate)
		config.Seed = &seed
	}
	store := false
	r := &Request{GenerationConfig: &config, Store: &store}
	if p.System != "" {
		r.SystemInstruction = &Content{Parts: []Part{text(p.System)}}
	}
	for _, c := range p.Contents {
		turn := Content{Role: c.Role}
		for _, part := range c.Parts {
			if part.FileData != nil {
				kind, data, err := p.Media(ctx, part.FileData)
				if err != nil {
					return nil, err
				}
				part.FileData, part.InlineData = nil, &InlineData{MimeType: kind, Data: base64.StdEncoding.EncodeToString(data)}
			}
			turn.Parts = append(turn.Parts, part)
		}
		r.Contents = append(r.Contents, turn)
	}
	return r, r.setPeerTools(p)
}

func (r *Request) setPeerTools(p *Prompt) error {
	var tools []Tool
	if p.Code {
		tools = append(tools, Tool{CodeExecution: json.RawMessage(`{}`)})
	}
	var declared []FunctionDeclaration
	for _, f := range p.Functions {
		if len(p.Allowed) > 0 && !slices.Contains(p.Allowed, f.Name) {
			continue
		}
		d := FunctionDeclaration{Name: f.Name, Description: f.Description}
		if f.Parameters != nil {
			raw, err := json.Marshal(f.Parameters)
			if err != nil {
				return errInvalid("tools", "the parameters of %s are not JSON", f.Name)
			}
			d.ParametersJSONSchema = raw
		}
		declared = append(declared, d)
	}
	if len(declared) > 0 {
		tools = append(tools, Tool{FunctionDeclarations: declared})
		r.ToolConfig = &ToolConfig{FunctionCallingConfig: &FunctionCallingConfig{Mode: p.Mode}}
	}
	r.Tools = tools
	return nil
}

// peerChunk is one event of a peer's stream.
type peerChunk struct {
	Response
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// peerListener passes a peer's chunks on, each at once.
type peerListener struct {
	prompt *Prompt
	emit   func(Piece) error
	begun  bool
	ended  bool
}

func (l *peerListener) chunk(c *peerChunk) error {
	if c.Error != nil {
		return errUnavailable(nil, "the model's server broke off: %s", c.Error.Message)
	}
	if f := c.PromptFeedback; f != nil && f.BlockReason != "" {
		l.begun, l.ended = true, true
		return l.emit(Piece{Block: f.BlockReason})
	}
	if len(c.Candidates) == 0 {
		return nil // only counts
	}
	from := c.Candidates[0]
	u := c.UsageMetadata
	piece := Piece{
		Finish: from.FinishReason, Message: from.FinishMessage,
		Counts: &Counts{Prompt: u.PromptTokenCount, Completion: u.CandidatesTokenCount, Thoughts: u.ThoughtsTokenCount},
	}
	if from.Content != nil {
		for _, part := range from.Content.Parts {
			if !part.Thought || l.prompt.Thoughts {
				piece.Parts = append(piece.Parts, part)
			}
		}
	}
	if lp := from.LogprobsResult; lp != nil {
		piece.Logprobs, piece.Top = lp.ChosenCandidates, lp.TopCandidates
	}
	l.begun, l.ended = true, piece.Finish != ""
	return l.emit(piece)
}

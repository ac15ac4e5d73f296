package generate

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/budget"
)

// Backend answers prompts. Everything about the API, its limits, safety and
// counting, stands before it; a backend turns a checked prompt into parts.
type Backend interface {
	// Generate answers for one candidate and hands over the parts as they
	// come. It ends when ctx does, and with the error of emit as soon as that
	// fails. The last piece has a Finish.
	Generate(ctx context.Context, p *Prompt, candidate int, emit func(Piece) error) error
	// Embed gives one vector for each text.
	Embed(ctx context.Context, owner budget.Owner, m ModelConfig, texts []string) ([][]float32, error)
	// Check reports whether the backend can work.
	Check(ctx context.Context) error
}

// Prompt is a request that has passed every check, with its cache unfolded.
type Prompt struct {
	// Owner is whose places the answer takes.
	Owner     budget.Owner
	Model     ModelConfig
	System    string
	Contents  []Content
	Functions []Function
	// Mode is AUTO, ANY, NONE or VALIDATED; Allowed narrows ANY and VALIDATED.
	Mode    Enum
	Allowed []string
	// Code is true when the model may run code.
	Code   bool
	Config GenerationConfig
	// Schema is the form of the answer as JSON Schema, nil for free text.
	Schema map[string]any
	// Thoughts is true when thoughts are to be shown; Thinks when there are any.
	Thinks, Thoughts bool
	// Streams is true when the caller wants the pieces one by one.
	Streams bool
	// Media reads the bytes of an uploaded file, up to a limit.
	Media func(ctx context.Context, f *FileData) (mimeType string, data []byte, err error)
	// Run runs a program that the model has written, when Code is true.
	Run func(ctx context.Context, code string) *CodeExecutionResult
}

// Function is a declared function with its parameters as JSON Schema.
type Function struct {
	Name, Description string
	Parameters        map[string]any
}

// Piece is a part of an answer.
type Piece struct {
	Parts []Part
	// Finish is set on the last piece of a candidate.
	Finish, Message string
	// Logprobs and Top tell about the tokens of the parts, when asked for.
	Logprobs []TokenLogprob
	Top      []TopCandidates
	// Block refuses the prompt as a whole; nothing else is set then.
	Block string
	// Counts are the backend's own, which win over ours.
	Counts *Counts
}

// Counts are tokens as a backend reports them.
type Counts struct {
	Prompt, Cached, Completion, Thoughts int
}

// lastText is what the caller wrote last, without older turns.
func (p *Prompt) lastText() string {
	if len(p.Contents) == 0 {
		return ""
	}
	return plainText(p.Contents[len(p.Contents)-1].Parts)
}

// plainText joins the text parts.
func plainText(parts []Part) string {
	var texts []string
	for i := range parts {
		if parts[i].Text != nil && *parts[i].Text != "" && !parts[i].Thought {
			texts = append(texts, *parts[i].Text)
		}
	}
	return strings.Join(texts, "\n")
}

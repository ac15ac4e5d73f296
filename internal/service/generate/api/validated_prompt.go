package api

import (
	"context"
	"slices"

	"stoa.dev/stoa/internal/platform/budget"
)

// NoSandbox is why code is not run on a server without a sandbox.
const NoSandbox = "code execution is off: this server has no sandbox to run code in"

// MaxFunctions is how many functions a request may declare.
const MaxFunctions = 512

// Prompt is a request that has passed every check, with its cache unfolded.
type Prompt struct {
	// Owner is whose places the answer takes.
	Owner     budget.Owner
	Model     Model
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
	// Thoughts is true when thoughts are to be shown.
	Thoughts bool
	// Streams is true when the caller wants the pieces one by one.
	Streams bool
	// Degrades is true when the caller asked for another model than the one that
	// answers: what this one cannot do is left out and noted, not refused.
	Degrades bool
	// Notes say what was left out.
	Notes []string
	// Media reads the bytes of an uploaded file, up to a limit.
	Media func(ctx context.Context, f *FileData) (mimeType string, data []byte, err error)
	// Run runs a program that the model has written, when Code is true.
	Run func(ctx context.Context, code string) *CodeExecutionResult
}

// Function is a declared function with its parameters as JSON Schema, any object
// when there are none.
type Function struct {
	Name, Description string
	Parameters        map[string]any
}

// ParametersOrObject is the schema of the parameters, never nil.
func (f Function) ParametersOrObject() map[string]any {
	if f.Parameters == nil {
		return map[string]any{"type": "object"}
	}
	return f.Parameters
}

// Piece is a part of an answer.
type Piece struct {
	Parts []Part
	// Finish is set on the last piece of a candidate.
	Finish, Message string
	// Logprobs and Top are those of the tokens of the parts, when asked for.
	Logprobs []TokenLogprob
	Top      []TopCandidates
	// Block refuses the prompt as a whole; nothing else is set then.
	Block string
	// Counts are the backend's own, which win over ours.
	Counts *Counts
}

// Counts are tokens as a backend reports them.
type Counts struct {
	Prompt, Completion, Thoughts int
}

// LastText is what the caller wrote last, without older turns.
func (p *Prompt) LastText() string {
	if len(p.Contents) == 0 {
		return ""
	}
	return PlainText(p.Contents[len(p.Contents)-1].Parts)
}

// Enum is the texts of which an answer of the type text/x.enum is one.
func (p *Prompt) Enum() []any {
	list, _ := p.Schema["enum"].([]any)
	return list
}

// Function finds a declared function.
func (p *Prompt) Function(name string) (Function, bool) {
	i := slices.IndexFunc(p.Functions, func(f Function) bool { return f.Name == name })
	if i < 0 {
		return Function{}, false
	}
	return p.Functions[i], true
}

// AllowedFunctions are those that the model may call, whatever the mode.
func (p *Prompt) AllowedFunctions() []Function {
	var out []Function
	for _, f := range p.Functions {
		if len(p.Allowed) == 0 || slices.Contains(p.Allowed, f.Name) {
			out = append(out, f)
		}
	}
	return out
}

// Seed is that of one candidate, nil when the request has none. Candidates of one
// seed must differ and still repeat.
func (p *Prompt) Seed(candidate int) *int32 {
	if p.Config.Seed == nil {
		return nil
	}
	seed := *p.Config.Seed + int32(candidate)
	return &seed
}

// ReadMedia gives the bytes of a part that holds or names media.
func (p *Prompt) ReadMedia(ctx context.Context, part *Part) (mimeType string, data []byte, err error) {
	if part.InlineData == nil {
		return p.Media(ctx, part.FileData)
	}
	data, err = DecodeBase64(part.InlineData.Data)
	return part.InlineData.MimeType, data, err
}

// Lack refuses what the model cannot do, or notes that it is left out.
func (p *Prompt) Lack(field, format string, args ...any) error {
	refusal := ErrInvalidField(field, format, args...)
	if !p.Degrades {
		return refusal
	}
	if !slices.Contains(p.Notes, refusal.Message) {
		p.Notes = append(p.Notes, refusal.Message)
	}
	return nil
}

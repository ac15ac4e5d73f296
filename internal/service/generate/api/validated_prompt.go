package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// NewPrompt checks everything about a request that needs no store. With degrades
// what the model lacks is left out and noted.
func NewPrompt(m Model, r *Request, degrades bool) (*Prompt, error) {
	p := &Prompt{Model: m, Mode: "AUTO", Contents: r.Contents, Degrades: degrades}
	if r.Model != "" && ModelID(r.Model) == "" {
		return nil, ErrInvalidField("model", "the name is empty")
	}
	if err := checkContents(r.Contents); err != nil {
		return nil, err
	}
	var err error
	if p.System, err = systemText(r.SystemInstruction); err != nil {
		return nil, err
	}
	if err := p.setTools(r.Tools); err != nil {
		return nil, err
	}
	if err := p.setToolConfig(r.ToolConfig); err != nil {
		return nil, err
	}
	if r.ServiceTier, err = resolveTier(r.ServiceTier); err != nil {
		return nil, err
	}
	if r.GenerationConfig != nil {
		p.Config = *r.GenerationConfig
	}
	return p, p.checkConfig()
}

// resolveTier takes both spellings in use: standard and SERVICE_TIER_STANDARD.
func resolveTier(e Enum) (Enum, error) {
	if word, ok := strings.CutPrefix(string(e), "SERVICE_TIER_"); ok {
		e = Enum(strings.ToLower(word))
	}
	t, err := serviceTiers.Resolve("serviceTier", e)
	if t == "unspecified" {
		t = "standard"
	}
	return t, err
}

// setTools keeps functions and code execution and refuses tools that would
// reach out of this server.
func (p *Prompt) setTools(tools []Tool) error {
	for i, tool := range tools {
		field := fmt.Sprintf("tools[%d]", i)
		for _, absent := range []struct {
			name string
			raw  json.RawMessage
		}{
			{"webSearch", tool.WebSearch}, {"webSearchRetrieval", tool.WebSearchRetrieval}, {"maps", tool.Maps},
			{"urlContext", tool.URLContext}, {"fileSearch", tool.FileSearch}, {"computerUse", tool.ComputerUse},
			{"mcpServers", tool.MCPServers},
		} {
			if !Given(absent.raw) {
				continue
			}
			if err := p.Lack(field+"."+absent.name,
				"this server has no such tool; it offers functionDeclarations and codeExecution"); err != nil {
				return err
			}
		}
		if Given(tool.CodeExecution) {
			var options map[string]json.RawMessage
			if json.Unmarshal(tool.CodeExecution, &options) != nil || len(options) > 0 {
				return ErrInvalidField(field+".codeExecution", "must be an empty object")
			}
			p.Code = true
		}
		for j := range tool.FunctionDeclarations {
			declared := fmt.Sprintf("%s.functionDeclarations[%d]", field, j)
			if err := p.addFunction(declared, &tool.FunctionDeclarations[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Prompt) addFunction(field string, d *FunctionDeclaration) error {
	if !ValidFunctionName(d.Name) {
		return ErrInvalidField(field+".name", "%q must start with a letter or underscore and hold at most 128 "+
			"letters, digits, underscores, dots, colons and dashes", d.Name)
	}
	if _, declared := p.Function(d.Name); declared {
		return ErrInvalidField(field+".name", "%q is declared twice", d.Name)
	}
	if len(p.Functions) == MaxFunctions {
		return ErrInvalidField("tools", "at most %d functions can be declared", MaxFunctions)
	}
	if d.Behavior != "" {
		if err := behaviors.ResolveInto(field+".behavior", &d.Behavior); err != nil {
			return err
		}
		if d.Behavior == "NON_BLOCKING" {
			return ErrInvalidField(field+".behavior",
				"NON_BLOCKING is for live sessions, which this server does not have")
		}
	}
	parameters, err := schemaOf(field+".parameters", d.Parameters, d.ParametersJSONSchema)
	if err != nil {
		return err
	}
	if _, err := schemaOf(field+".response", d.Response, d.ResponseJSONSchema); err != nil {
		return err
	}
	p.Functions = append(p.Functions, Function{d.Name, d.Description, parameters})
	return nil
}

func (p *Prompt) setToolConfig(c *ToolConfig) error {
	if c == nil {
		return nil
	}
	if c.IncludeServerSideToolInvocations {
		if err := p.Lack("toolConfig.includeServerSideToolInvocations",
			"this server has no server-side tools to report"); err != nil {
			return err
		}
	}
	if Given(c.RetrievalConfig) {
		if err := p.Lack("toolConfig.retrievalConfig", "this server has no retrieval tools"); err != nil {
			return err
		}
	}
	if c.FunctionCallingConfig == nil {
		return nil
	}
	const field = "toolConfig.functionCallingConfig"
	mode, err := callModes.Resolve(field+".mode", c.FunctionCallingConfig.Mode)
	if err != nil {
		return err
	}
	if mode == "MODE_UNSPECIFIED" {
		mode = "AUTO"
	}
	p.Mode, p.Allowed = mode, c.FunctionCallingConfig.AllowedFunctionNames
	if len(p.Allowed) > 0 && mode != "ANY" && mode != "VALIDATED" {
		return ErrInvalidField(field+".allowedFunctionNames", "is only allowed with the modes ANY and VALIDATED")
	}
	for _, name := range p.Allowed {
		if _, ok := p.Function(name); !ok {
			return ErrInvalidField(field+".allowedFunctionNames", "%q is not declared", name)
		}
	}
	if mode == "ANY" && len(p.Functions) == 0 {
		return ErrInvalidField(field+".mode", "ANY needs at least one function declaration")
	}
	return nil
}

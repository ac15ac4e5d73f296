package generate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/chat"
	"stoa.dev/stoa/engine/grammar"
)

// prompt says a request in the engine's words, or refuses what it cannot do.
func (l *local) prompt(ctx context.Context, p *Prompt, candidate int) (engine.Prompt, error) {
	if p.Code {
		return engine.Prompt{}, errInvalid("tools", "codeExecution: %s was not taught to write code to be run; use functionDeclarations", p.Model.ID)
	}
	c := p.Config
	out := engine.Prompt{
		MaxTokens: p.maxTokens(), Temperature: or(c.Temperature, defaultTemperature), TopP: or(c.TopP, defaultTopP), TopK: int(or(c.TopK, defaultTopK)),
		Presence: or(c.PresencePenalty, 0), Frequency: or(c.FrequencyPenalty, 0), Stops: c.StopSequences,
		Logprobs: c.ResponseLogprobs, Top: or(c.Logprobs, 0), Seed: l.seed(),
	}
	if c.Seed != nil {
		// Candidates of one seed must differ and still repeat.
		out.Seed, out.Exact = uint32(*c.Seed)+uint32(candidate), true
	}
	if out.Temperature == 0 {
		out.Exact = true
	}
	system, err := form(ctx, p, &out)
	if err != nil {
		return out, err
	}
	if p.System != "" && system != "" {
		system = "\n\n" + system
	}
	if system = p.System + system; system != "" {
		out.Messages = append(out.Messages, engine.Message{Role: "system", Content: system})
	}
	for i, content := range p.Contents {
		said, err := l.turn(ctx, p, content, fmt.Sprintf("contents[%d]", i))
		if err != nil {
			return out, err
		}
		role := "user"
		if content.Role == RoleModel {
			role = "assistant"
		}
		out.Messages = append(out.Messages, engine.Message{Role: role, Content: said})
	}
	return out, nil
}

func or[N int | float64](n *N, otherwise N) N {
	if n == nil {
		return otherwise
	}
	return *n
}

// form sets the grammar of an answer and returns the words for the system turn.
func form(ctx context.Context, p *Prompt, out *engine.Prompt) (words string, err error) {
	f := chat.Format{MustCall: p.Mode == "ANY", JSON: p.Config.ResponseMimeType == "application/json", Schema: p.Schema}
	for _, allowed := range allowed(p) {
		f.Functions = append(f.Functions, chat.Function(allowed))
	}
	if p.Config.ResponseMimeType == "text/x.enum" {
		for _, v := range listOf(p.Schema["enum"]) {
			f.Enum = append(f.Enum, fmt.Sprint(v))
		}
	}
	words, err = f.Apply(ctx, out)
	if errors.Is(err, chat.ErrBoth) {
		return "", errInvalid("generationConfig.responseMimeType", "%s cannot be held to a form and to functions at once; set the function calling mode NONE or leave the form out", p.Model.ID)
	}
	if err == nil {
		return words, nil
	}
	field := "generationConfig.responseSchema"
	if len(f.Functions) > 0 {
		field = "tools"
	}
	var e *grammar.Error
	if errors.As(err, &e) && e.Path != "" {
		return "", errInvalid(field+"."+e.Path, "%s", e.Message)
	}
	return "", errInvalid(field, "%s", err)
}

// allowed are the functions the model may call.
func allowed(p *Prompt) []Function {
	if p.Mode == "NONE" {
		return nil
	}
	var out []Function
	for _, f := range p.Functions {
		if len(p.Allowed) == 0 || slices.Contains(p.Allowed, f.Name) {
			out = append(out, f)
		}
	}
	return out
}

// turn is the text of one turn.
func (l *local) turn(ctx context.Context, p *Prompt, c Content, field string) (string, error) {
	var said []string
	for i := range c.Parts {
		part := &c.Parts[i]
		at := fmt.Sprintf("%s.parts[%d]", field, i)
		switch {
		case part.Thought:
		case part.Text != nil:
			said = append(said, *part.Text)
		case part.FunctionCall != nil:
			said = append(said, chat.CallText(part.FunctionCall.Name, orEmpty(part.FunctionCall.Args)))
		case part.FunctionResponse != nil:
			said = append(said, chat.ResultText(part.FunctionResponse.Name, orEmpty(part.FunctionResponse.Response)))
		case part.ExecutableCode != nil:
			said = append(said, "```python\n"+part.ExecutableCode.Code+"\n```")
		case part.CodeExecutionResult != nil:
			said = append(said, "```\n"+part.CodeExecutionResult.Output+"\n```")
		default:
			text, err := readable(ctx, p, part, at)
			if err != nil {
				return "", err
			}
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n"), nil
}

// readable is the text of media that are text.
func readable(ctx context.Context, p *Prompt, part *Part, field string) (string, error) {
	var kind string
	var data []byte
	var err error
	if part.InlineData != nil {
		kind = part.InlineData.MimeType
		data, err = decodeBase64(part.InlineData.Data)
	} else {
		kind, data, err = p.Media(ctx, part.FileData)
	}
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(kind, "text/") && kind != "application/json" {
		return "", errInvalid(field, "%s reads text, not %s", p.Model.ID, kind)
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}

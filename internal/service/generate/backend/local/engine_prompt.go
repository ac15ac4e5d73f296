package local

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/chat"
	"stoa.dev/stoa/engine/grammar"
	"stoa.dev/stoa/internal/service/generate/api"
)

// newPrompt writes a request in the engine's words, or refuses what it cannot do.
// With a function that is called, the answer is that call.
func (b *Backend) newPrompt(
	ctx context.Context, p *api.Prompt, candidate int, called *chat.Function,
) (engine.Prompt, error) {
	if p.Code {
		if err := p.Lack("tools",
			"codeExecution: %s was not taught to write code to be run; use functionDeclarations", p.Model.ID); err != nil {
			return engine.Prompt{}, err
		}
	}
	c := p.Config
	out := engine.Prompt{
		MaxTokens: p.MaxTokens(), Stops: c.StopSequences, Logprobs: c.ResponseLogprobs, Top: or(c.Logprobs, 0),
		Temperature: or(c.Temperature, DefaultTemperature), TopP: or(c.TopP, DefaultTopP),
		TopK: int(or(c.TopK, DefaultTopK)), Presence: or(c.PresencePenalty, 0), Frequency: or(c.FrequencyPenalty, 0),
	}
	if seed := p.Seed(candidate); seed != nil {
		out.Seed, out.Exact = uint32(*seed), true
	} else {
		out.Seed, out.Exact = b.seed(), out.Temperature == 0
	}
	system, err := setFormat(ctx, p, &out, called)
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
		text, err := turnText(ctx, p, content, fmt.Sprintf("contents[%d]", i))
		if err != nil {
			return out, err
		}
		role := "user"
		if content.Role == api.RoleModel {
			role = "assistant"
		}
		out.Messages = append(out.Messages, engine.Message{Role: role, Content: text})
	}
	return out, nil
}

func or[N int | float64](n *N, otherwise N) N {
	if n == nil {
		return otherwise
	}
	return *n
}

// setFormat sets the grammar of an answer and returns the words for the system turn.
func setFormat(
	ctx context.Context, p *api.Prompt, out *engine.Prompt, called *chat.Function,
) (words string, err error) {
	f := chat.ResponseFormat{
		MustCall: p.Mode == "ANY", JSON: p.Config.ResponseMimeType == "application/json", Schema: p.Schema,
	}
	if p.Mode != "NONE" {
		f.Functions = declared(p)
	}
	if called != nil {
		f.Functions, f.MustCall = []chat.Function{*called}, true
	}
	if p.Config.ResponseMimeType == "text/x.enum" {
		for _, v := range p.Enum() {
			f.Enum = append(f.Enum, fmt.Sprint(v))
		}
	}
	words, err = f.Apply(ctx, out)
	if err == nil {
		return words, nil
	}
	if err := formatLack(p, f, err); err != nil {
		return "", err
	}
	return looser(f, err).Apply(ctx, out)
}

// formatLack is why a model cannot be held to a format.
func formatLack(p *api.Prompt, f chat.ResponseFormat, err error) error {
	if errors.Is(err, chat.ErrBoth) {
		return p.Lack("generationConfig.responseMimeType", "%s cannot be held to a form and to "+
			"functions at once; set the function calling mode NONE or leave the form out", p.Model.ID)
	}
	field := "generationConfig.responseSchema"
	if len(f.Functions) > 0 {
		field = "tools"
	}
	var e *grammar.Error
	if errors.As(err, &e) && e.Path != "" {
		return p.Lack(field+"."+e.Path, "%s", e.Message)
	}
	return p.Lack(field, "%s", err)
}

// looser is a format that every model can be held to: functions win over a form,
// and what no grammar can say is any object.
func looser(f chat.ResponseFormat, err error) chat.ResponseFormat {
	if errors.Is(err, chat.ErrBoth) {
		return chat.ResponseFormat{Functions: f.Functions, MustCall: f.MustCall}
	}
	f.Schema = nil
	for i := range f.Functions {
		f.Functions[i].Parameters = nil
	}
	return f
}

// turnText is the text of one turn.
func turnText(ctx context.Context, p *api.Prompt, c api.Content, field string) (string, error) {
	var texts []string
	for i := range c.Parts {
		part := &c.Parts[i]
		switch {
		case part.Thought:
		case part.Text != nil:
			texts = append(texts, *part.Text)
		case part.FunctionCall != nil:
			texts = append(texts, chat.CallText(part.FunctionCall.Name, api.ObjectText(part.FunctionCall.Args)))
		case part.FunctionResponse != nil:
			f := part.FunctionResponse
			texts = append(texts, chat.ResultText(f.Name, api.ObjectText(f.Response)))
		case part.ExecutableCode != nil:
			texts = append(texts, "```python\n"+part.ExecutableCode.Code+"\n```")
		case part.CodeExecutionResult != nil:
			texts = append(texts, "```\n"+part.CodeExecutionResult.Output+"\n```")
		default:
			kind, data, err := p.ReadMedia(ctx, part)
			if err != nil {
				return "", err
			}
			if !strings.HasPrefix(kind, "text/") && kind != "application/json" {
				if err := p.Lack(fmt.Sprintf("%s.parts[%d]", field, i),
					"%s reads text, not %s", p.Model.ID, kind); err != nil {
					return "", err
				}
				texts = append(texts, "(a file of the type "+kind+", which cannot be read)")
				continue
			}
			texts = append(texts, strings.ToValidUTF8(string(data), "\uFFFD"))
		}
	}
	return strings.Join(texts, "\n"), nil
}

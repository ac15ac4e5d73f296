package generate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/generate/grammar"
	"stoa.dev/stoa/internal/service/generate/llama"
)

// The words around a function call, and around what a function answered.
const (
	callStart   = "<tool_call>"
	callEnd     = "</tool_call>"
	resultStart = "<tool_response>"
	resultEnd   = "</tool_response>"
)

// prompt says a request in the engine's words, or refuses what it cannot do.
func (l *local) prompt(ctx context.Context, p *Prompt, candidate int) (llama.Prompt, error) {
	if p.Code {
		return llama.Prompt{}, errInvalid("tools", "codeExecution: %s was not taught to write code to be run; use functionDeclarations", p.Model.ID)
	}
	c := p.Config
	out := llama.Prompt{
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
	if p.System != "" {
		system = append([]string{p.System}, system...)
	}
	if len(system) > 0 {
		out.Messages = append(out.Messages, llama.Message{Role: "system", Content: strings.Join(system, "\n\n")})
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
		out.Messages = append(out.Messages, llama.Message{Role: role, Content: said})
	}
	return out, nil
}

func or[N int | float64](n *N, otherwise N) N {
	if n == nil {
		return otherwise
	}
	return *n
}

// form sets the grammar of an answer and tells the model in words, too: a
// grammar keeps the form, but the words make the sense.
func form(ctx context.Context, p *Prompt, out *llama.Prompt) (system []string, err error) {
	functions := allowed(p)
	switch {
	case len(functions) > 0 && (p.Schema != nil || p.Config.ResponseMimeType == "application/json"):
		return nil, errInvalid("generationConfig.responseMimeType", "%s cannot be held to a form and to functions at once; set the function calling mode NONE or leave the form out", p.Model.ID)
	case len(functions) > 0:
		if out.Grammar, err = callGrammar(ctx, functions); err != nil {
			return nil, errForm("tools", err)
		}
		if p.Mode != "ANY" {
			out.Trigger = callStart
		}
		return []string{callHelp(functions, p.Mode == "ANY")}, nil
	case p.Config.ResponseMimeType == "text/x.enum":
		var words []string
		for _, v := range listOf(p.Schema["enum"]) {
			words = append(words, fmt.Sprint(v))
		}
		out.Grammar = grammar.Enum(words)
		return []string{"Answer with one of: " + strings.Join(words, ", ")}, nil
	case p.Config.ResponseMimeType == "application/json":
		schema := p.Schema
		if schema == nil {
			schema = map[string]any{"anyOf": []any{map[string]any{"type": "object"}, map[string]any{"type": "array"}}}
		}
		if out.Grammar, err = grammar.FromSchema(ctx, schema); err != nil {
			return nil, errForm("generationConfig.responseSchema", err)
		}
		if p.Schema == nil {
			return []string{"Answer in JSON."}, nil
		}
		words, err := json.Marshal(p.Schema)
		if err != nil {
			return nil, errInvalid("generationConfig.responseSchema", "is not JSON")
		}
		return []string{"Answer in JSON that fits this schema: " + string(words)}, nil
	}
	return nil, nil
}

func errForm(field string, err error) error {
	var e *grammar.Error
	if errors.As(err, &e) && e.Path != "" {
		return errInvalid(field+"."+e.Path, "%s", e.Message)
	}
	return errInvalid(field, "%s", err)
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

// callGrammar allows one call of one of the functions, with arguments that fit.
func callGrammar(ctx context.Context, functions []Function) (string, error) {
	defs := map[string]any{}
	var calls []any
	for i, f := range functions {
		// References inside parameters start at their own root.
		name := fmt.Sprintf("f%d", i)
		raw, err := json.Marshal(orObject(f.Parameters))
		if err != nil {
			return "", err
		}
		var parameters map[string]any
		if err := json.Unmarshal([]byte(strings.ReplaceAll(string(raw), `"$ref":"#`, `"$ref":"#/$defs/`+name)), &parameters); err != nil {
			return "", err
		}
		defs[name] = parameters
		calls = append(calls, map[string]any{
			"type": "object", "required": []string{"name", "args"}, "propertyOrdering": []string{"name", "args"},
			"properties": map[string]any{"name": map[string]any{"const": f.Name}, "args": map[string]any{"$ref": "#/$defs/" + name}},
		})
	}
	text, err := grammar.FromSchema(ctx, map[string]any{"$defs": defs, "anyOf": calls})
	return grammar.Between(callStart, text, callEnd), err
}

// callHelp tells the model what it can call, and how.
func callHelp(functions []Function, must bool) string {
	var b strings.Builder
	if must {
		b.WriteString("Call one of these functions.")
	} else {
		b.WriteString("You can call these functions when they help to answer; otherwise answer in words.")
	}
	fmt.Fprintf(&b, " To call one, write %s{\"name\": NAME, \"args\": ARGUMENTS}%s with the arguments as JSON.\nFunctions:", callStart, callEnd)
	for _, f := range functions {
		encoded, err := json.Marshal(map[string]any{"name": f.Name, "description": f.Description, "parameters": orObject(f.Parameters)})
		if err == nil { // it came out of JSON
			b.WriteString("\n" + string(encoded))
		}
	}
	return b.String()
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
			said = append(said, fmt.Sprintf(`%s{"name": %q, "args": %s}%s`, callStart, part.FunctionCall.Name, orEmpty(part.FunctionCall.Args), callEnd))
		case part.FunctionResponse != nil:
			said = append(said, fmt.Sprintf(`%s{"name": %q, "response": %s}%s`, resultStart, part.FunctionResponse.Name, orEmpty(part.FunctionResponse.Response), resultEnd))
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

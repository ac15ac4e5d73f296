package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"stoa.dev/stoa/engine"
	"stoa.dev/stoa/engine/grammar"
)

// ResponseFormat is what an answer may be. The zero one is free text; of the others
// exactly one is given.
type ResponseFormat struct {
	// Functions may be called, or with MustCall one of them is.
	Functions []Function
	MustCall  bool
	// Enum is the texts of which the answer is one.
	Enum []string
	// JSON asks for JSON, which fits Schema when there is one.
	JSON   bool
	Schema map[string]any
}

// ErrBoth means that a model cannot be held to functions and to JSON at once.
var ErrBoth = errors.New("chat: functions and another format")

// Apply sets the grammar of a prompt and returns the words for its system turn.
// A schema that a grammar cannot keep is a *grammar.Error.
func (f ResponseFormat) Apply(ctx context.Context, p *engine.Prompt) (words string, err error) {
	switch {
	case len(f.Functions) > 0 && (f.JSON || len(f.Enum) > 0):
		return "", ErrBoth
	case len(f.Functions) > 0:
		if !f.MustCall {
			p.Trigger = callStart
		}
		p.Grammar, err = callGrammar(ctx, f.Functions)
		return callHelp(f.Functions, f.MustCall), err
	case len(f.Enum) > 0:
		p.Grammar = grammar.Enum(f.Enum)
		return "Answer with one of: " + strings.Join(f.Enum, ", "), nil
	case f.JSON && f.Schema == nil:
		p.Grammar, err = grammar.FromSchema(ctx, map[string]any{
			"anyOf": []any{map[string]any{"type": "object"}, map[string]any{"type": "array"}},
		})
		return "Answer in JSON.", err
	case f.JSON:
		if p.Grammar, err = grammar.FromSchema(ctx, f.Schema); err != nil {
			return "", err
		}
		schema, err := json.Marshal(f.Schema)
		return "Answer in JSON that fits this schema: " + string(schema), err
	}
	return "", nil
}

// parameters are a function's own, or any object.
func (f Function) parameters() map[string]any {
	if f.Parameters == nil {
		return map[string]any{"type": "object"}
	}
	return f.Parameters
}

// callGrammar allows one call of one of the functions, with arguments that fit.
func callGrammar(ctx context.Context, functions []Function) (string, error) {
	defs := map[string]any{}
	var calls []any
	for i, f := range functions {
		// References inside parameters start at their own root.
		name := fmt.Sprintf("f%d", i)
		raw, err := json.Marshal(f.parameters())
		if err != nil {
			return "", err
		}
		raw = []byte(strings.ReplaceAll(string(raw), `"$ref":"#`, `"$ref":"#/$defs/`+name))
		var parameters map[string]any
		if err := json.Unmarshal(raw, &parameters); err != nil {
			return "", err
		}
		defs[name] = parameters
		calls = append(calls, map[string]any{
			"type": "object", "required": []string{"name", "args"}, "propertyOrdering": []string{"name", "args"},
			"properties": map[string]any{
				"name": map[string]any{"const": f.Name}, "args": map[string]any{"$ref": "#/$defs/" + name},
			},
		})
	}
	text, err := grammar.FromSchema(ctx, map[string]any{"$defs": defs, "anyOf": calls})
	return grammar.Between(callStart, text, callEnd), err
}

// callHelp explains what can be called, and how.
func callHelp(functions []Function, must bool) string {
	var b strings.Builder
	if must {
		b.WriteString("Call one of these functions.")
	} else {
		b.WriteString("You can call these functions when they help to answer; otherwise answer in words.")
	}
	fmt.Fprintf(&b, " To call one, write %s{\"name\": NAME, \"args\": ARGUMENTS}%s "+
		"with the arguments as JSON.\nFunctions:", callStart, callEnd)
	for _, f := range functions {
		encoded, err := json.Marshal(map[string]any{
			"name": f.Name, "description": f.Description, "parameters": f.parameters(),
		})
		if err == nil { // it came out of JSON
			b.WriteString("\n" + string(encoded))
		}
	}
	return b.String()
}

package chat

import (
	"context"
	"encoding/json"
	"errors"
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

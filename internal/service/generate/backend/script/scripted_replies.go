package script

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

// Backend answers from rules.
type Backend struct {
	clock  clock.Clock
	tokens *tokens.Tokenizer
	// rules are the operator's, builtin those that come last.
	rules, builtin []rule
}

// New reads the operator's rules, which may be none, and the built-in ones.
func New(c clock.Clock, t *tokens.Tokenizer, rules []byte) (*Backend, error) {
	b := &Backend{clock: c, tokens: t}
	var err error
	if b.rules, err = readRules(rules); err != nil {
		return nil, fmt.Errorf("generate.script: %w", err)
	}
	if b.builtin, err = parsedRules(); err != nil {
		return nil, fmt.Errorf("built-in script: %w", err)
	}
	return b, nil
}

// match gives the groups of the text, or false.
func (r *rule) match(p *api.Prompt, last string) ([]string, bool) {
	w := &r.When
	turn := p.Contents[len(p.Contents)-1]
	switch {
	case w.Role != "" && w.Role != turn.Role,
		w.Code && !p.Code,
		w.system != nil && !w.system.MatchString(p.System),
		w.model != nil && !w.model.MatchString(p.Model.ID),
		w.Response != "" && responseOf(turn, w.Response) == nil:
		return nil, false
	}
	if _, declared := p.Function(w.Function); w.Function != "" && !declared {
		return nil, false
	}
	if w.text == nil {
		return []string{last}, true
	}
	groups := w.text.FindStringSubmatch(last)
	return groups, groups != nil
}

func responseOf(c api.Content, name string) *api.FunctionResponse {
	for _, part := range c.Parts {
		if f := part.FunctionResponse; f != nil && (name == "" || f.Name == name) {
			return f
		}
	}
	return nil
}

// Generate finds the reply and sends it.
func (b *Backend) Generate(
	ctx context.Context, p *api.Prompt, candidate int, emit func(api.Piece) error,
) error {
	answer, err := b.find(p, candidate)
	if err != nil {
		return err
	}
	if answer.Delay > 0 {
		if err := clock.Sleep(ctx, b.clock, answer.Delay); err != nil {
			return err
		}
	}
	if answer.Block != "" {
		return emit(api.Piece{Block: answer.Block})
	}
	return b.send(ctx, p, answer, emit)
}

// find chooses the rule and fills in its reply.
func (b *Backend) find(p *api.Prompt, candidate int) (reply, error) {
	last := p.LastText()
	if r, ok := firstMatch(b.rules, p, last, candidate); ok {
		return r, nil
	}
	if r, ok, err := asked(p, last); ok || err != nil {
		return r, err
	}
	if r, ok := firstMatch(b.builtin, p, last, candidate); ok {
		return r, nil
	}
	return reply{Text: "…"}, nil
}

func firstMatch(rules []rule, p *api.Prompt, last string, candidate int) (reply, bool) {
	for i := range rules {
		if groups, ok := rules[i].match(p, last); ok {
			return rules[i].filled(last, groups, candidate), true
		}
	}
	return reply{}, false
}

// filled is the reply for one candidate.
func (r *rule) filled(last string, groups []string, candidate int) reply {
	out := r.Reply
	if len(out.Texts) > 0 {
		out.Text = out.Texts[candidate%len(out.Texts)]
	}
	for _, text := range []*string{&out.Text, &out.Thought, &out.Code} {
		*text = fill(*text, last, groups)
	}
	if out.Thought == "" {
		out.Thought = "The rule “" + r.Name + "” of the script matches."
	}
	return out
}

// fill replaces {{text}} and the groups in one pass, so that what a caller wrote
// is never taken for a placeholder.
func fill(s, last string, groups []string) string {
	if !strings.Contains(s, "{{") {
		return s
	}
	pairs := []string{"{{text}}", last}
	for i, g := range groups {
		pairs = append(pairs, fmt.Sprintf("{{%d}}", i), g)
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// asked answers what the request itself prescribes: a call of a function, the
// outcome of one, a value of a schema.
func asked(p *api.Prompt, last string) (reply, bool, error) {
	turn := p.Contents[len(p.Contents)-1]
	if f := responseOf(turn, ""); f != nil {
		answer := fmt.Sprintf("The function %s answered: %s", f.Name, f.Response)
		return reply{Text: answer, Thought: "A function has answered."}, true, nil
	}
	if f, ok := wanted(p, last); ok {
		args, err := exampleOf("tools", f.ParametersOrObject(), api.FirstChars(last, 40))
		if err != nil {
			return reply{}, false, err
		}
		var values map[string]any
		if err := json.Unmarshal(args, &values); err != nil {
			return reply{}, false, api.ErrInvalidField("tools", "the parameters of %s are not an object", f.Name)
		}
		return reply{
			Calls: []call{{f.Name, values}}, Thought: "The function " + f.Name + " is to be called.",
		}, true, nil
	}
	switch {
	case p.Config.ResponseMimeType == "text/x.enum":
		return reply{Text: fmt.Sprint(p.Enum()[0]), Thought: "One of a list is asked for."}, true, nil
	case p.Schema != nil:
		value, err := exampleOf("generationConfig.responseSchema", p.Schema, api.FirstChars(last, 40))
		return reply{Text: string(value), Thought: "A value of a schema is asked for."}, true, err
	case p.Config.ResponseMimeType == "application/json":
		value, err := json.Marshal(ordered{{"text", last}})
		return reply{Text: string(value), Thought: "JSON is asked for."}, true, err
	}
	if p.Code {
		if _, rest, ok := strings.Cut(last, "```python\n"); ok {
			code, _, _ := strings.Cut(rest, "```")
			return reply{
				Code: code, Text: "The program printed:\n{{output}}", Thought: "There is a program to run.",
			}, true, nil
		}
	}
	return reply{}, false, nil
}

// wanted is the function to call: any if one must be called, else one whose
// name is in the text.
func wanted(p *api.Prompt, last string) (api.Function, bool) {
	for _, f := range p.AllowedFunctions() {
		if p.Mode == "ANY" || p.Mode != "NONE" && strings.Contains(last, f.Name) {
			return f, true
		}
	}
	return api.Function{}, false
}

// Check always succeeds: rules are read when the backend is made.
func (b *Backend) Check(context.Context) error { return nil }

// Close has nothing to close.
func (b *Backend) Close() {}

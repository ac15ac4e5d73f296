package script

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/tokens"
)

//go:embed builtin.yaml
var builtinRules []byte

// Backend answers from rules.
type Backend struct {
	clock  clock.Clock
	tokens *tokens.Tokenizer
	// rules are the operator's, builtin those that come last.
	rules, builtin []rule
}

// rule is one entry of a script file.
type rule struct {
	Name  string `yaml:"name"`
	When  when   `yaml:"when"`
	Reply reply  `yaml:"reply"`
}

// when is the conditions, all of which must hold; empty ones always do.
// Text, System and Model are regular expressions.
type when struct {
	Text   string `yaml:"text"`
	System string `yaml:"system"`
	Model  string `yaml:"model"`
	// Role of the last turn.
	Role string `yaml:"role"`
	// Function is the name of a declared function, Response that of a function
	// whose answer the last turn holds.
	Function string `yaml:"function"`
	Response string `yaml:"response"`
	// Code is true when the request must offer the tool codeExecution.
	Code bool `yaml:"code"`

	text, system, model *regexp.Regexp
}

// reply is what a rule answers with. {{text}} and {{1}} stand for the text
// that matched and its groups.
type reply struct {
	Text string `yaml:"text"`
	// Texts are for several candidates, in turn.
	Texts   []string `yaml:"texts"`
	Thought string   `yaml:"thought"`
	Calls   []call   `yaml:"calls"`
	// Code is a program in Python the model wants to run; {{output}} in Text
	// stands for what it printed.
	Code    string   `yaml:"code"`
	Finish  string   `yaml:"finish"`
	Message string   `yaml:"finish_message"`
	Block   string   `yaml:"block"`
	Error   *failure `yaml:"error"`
	// After is how many pieces are sent before the error.
	After int           `yaml:"error_after"`
	Delay time.Duration `yaml:"delay"`
	// ChunkTokens is the size of the pieces of a stream, ChunkDelay the pause between them.
	ChunkTokens int           `yaml:"chunk_tokens"`
	ChunkDelay  time.Duration `yaml:"chunk_delay"`
}

type call struct {
	Name string         `yaml:"name"`
	Args map[string]any `yaml:"args"`
}

type failure struct {
	Status  api.Code `yaml:"status"`
	Message string   `yaml:"message"`
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

// parsedRules are the built-in ones. They are immutable and the same in all worlds
// of a process.
var parsedRules = sync.OnceValues(func() ([]rule, error) { return readRules(builtinRules) })

func readRules(text []byte) ([]rule, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var file struct {
		Rules []rule `yaml:"rules"`
	}
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		return nil, err
	}
	for i := range file.Rules {
		r := &file.Rules[i]
		if err := r.compile(); err != nil {
			return nil, fmt.Errorf("rule %d (%s): %w", i+1, r.Name, err)
		}
	}
	return file.Rules, nil
}

func (r *rule) compile() error {
	for _, e := range []struct {
		text string
		to   **regexp.Regexp
	}{{r.When.Text, &r.When.text}, {r.When.System, &r.When.system}, {r.When.Model, &r.When.model}} {
		if e.text == "" {
			continue
		}
		compiled, err := regexp.Compile(e.text)
		if err != nil {
			return err
		}
		*e.to = compiled
	}
	if b := r.Reply.Block; b != "" && !slices.Contains(blockReasons(), b) {
		return fmt.Errorf("block is one of %v, not %q", blockReasons(), b)
	}
	if e := r.Reply.Error; e != nil && !slices.Contains(api.Codes(), e.Status) {
		return fmt.Errorf("error.status %q is not a status of this API", e.Status)
	}
	return nil
}

// blockReasons are the contract's, without the unspecified one.
func blockReasons() []string {
	return []string{"SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY"}
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

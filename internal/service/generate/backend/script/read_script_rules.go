package script

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"stoa.dev/stoa/internal/service/generate/api"
)

//go:embed builtin.yaml
var builtinRules []byte

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

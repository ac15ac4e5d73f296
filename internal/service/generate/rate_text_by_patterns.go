package generate

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed safety.yaml
var builtinSafety []byte

// patterns is the built-in classifier: expressions by category and level. It
// is a net with wide meshes, for tests and as a first line, and says so in the
// documentation.
type patterns struct {
	rules []patternRule
}

type patternRule struct {
	category string
	level    int
	// words of which the text has at least one, in lower case, if it matches:
	// looking for them is a hundred times cheaper than the expression.
	words []string
	match *regexp.Regexp
}

// patternEntry is a rule as the file has it.
type patternEntry struct {
	Words []string `yaml:"words"`
	Match string   `yaml:"match"`
}

// builtinPatterns are immutable and the same in all worlds of a process.
var builtinPatterns = sync.OnceValues(func() (*patterns, error) { return newPatterns(builtinSafety) })

func newPatterns(text []byte) (*patterns, error) {
	var file map[string]map[string][]patternEntry
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("safety patterns: %w", err)
	}
	p := &patterns{}
	for _, category := range rated() {
		for level, word := range levels() {
			for _, entry := range file[category][word] {
				match, err := regexp.Compile(entry.Match)
				if err != nil || len(entry.Words) == 0 {
					return nil, fmt.Errorf("safety patterns of %s: %q needs words and a valid expression: %w",
						category, entry.Match, err)
				}
				p.rules = append(p.rules, patternRule{category, level, entry.Words, match})
			}
		}
	}
	return p, nil
}

// Rate gives the highest level of every category that matches.
func (p *patterns) Rate(text string) map[string]int {
	var found map[string]int
	text = strings.ToLower(text)
	for i := range p.rules {
		r := &p.rules[i]
		if found[r.category] < r.level && r.mentioned(text) && r.match.MatchString(text) {
			if found == nil {
				found = map[string]int{}
			}
			found[r.category] = r.level
		}
	}
	return found
}

func (r *patternRule) mentioned(text string) bool {
	for _, word := range r.words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

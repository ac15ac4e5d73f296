package generate

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"stoa.dev/stoa/internal/service/generate/api"
)

//go:embed safety.yaml
var builtinSafety []byte

// Classifier judges text. Probabilities are HARM levels: 0 negligible, 1 low,
// 2 medium, 3 high; a category that is missing is negligible, and nil is all.
type Classifier interface {
	Rate(text string) map[string]int
}

// levels are the words of the probabilities.
func levels() []string { return []string{"NEGLIGIBLE", "LOW", "MEDIUM", "HIGH"} }

// rated are the five categories of the contract.
func rated() [5]string {
	return [5]string{
		"HARM_CATEGORY_HATE_SPEECH", "HARM_CATEGORY_SEXUALLY_EXPLICIT", "HARM_CATEGORY_DANGEROUS_CONTENT",
		"HARM_CATEGORY_HARASSMENT", "HARM_CATEGORY_CIVIC_INTEGRITY",
	}
}

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

// blockLevel is the lowest level that is blocked, by category; 4 blocks nothing.
// OFF also hides the ratings, which 5 stands for.
func blockLevel(threshold api.Enum) int {
	switch threshold {
	case "BLOCK_LOW_AND_ABOVE":
		return 1
	case "BLOCK_MEDIUM_AND_ABOVE":
		return 2
	case "BLOCK_ONLY_HIGH":
		return 3
	case "BLOCK_NONE":
		return 4
	}
	return 5
}

// filter is a classifier with the thresholds of one request.
type filter struct {
	classifier Classifier
	// levels are in the order of rated.
	levels [5]int
}

// newFilter checks the settings: known categories, each at most once.
func newFilter(c Classifier, settings []api.SafetySetting, otherwise api.Enum) (filter, error) {
	f := filter{classifier: c}
	for i := range f.levels {
		f.levels[i] = blockLevel(otherwise)
	}
	var seen [len(f.levels)]bool
	for i, s := range settings {
		field := fmt.Sprintf("safetySettings[%d]", i)
		category, err := api.Categories.Resolve(field+".category", s.Category)
		if err != nil {
			return f, err
		}
		known := rated()
		at := slices.Index(known[:], string(category))
		if at < 0 {
			return f, api.ErrInvalidField(field+".category",
				"%s is not a category of these models; use one of %v", category, rated())
		}
		if seen[at] {
			return f, api.ErrInvalidField(field+".category",
				"%s is set twice; there is at most one setting per category", category)
		}
		seen[at] = true
		threshold, err := api.Thresholds.Resolve(field+".threshold", s.Threshold)
		if err != nil {
			return f, err
		}
		if threshold != "HARM_BLOCK_THRESHOLD_UNSPECIFIED" {
			f.levels[at] = blockLevel(threshold)
		}
	}
	return f, nil
}

// judge rates a text and reports whether it must be blocked. Every category
// that is not off is rated exactly once.
func (f filter) judge(text string) (ratings []api.SafetyRating, blocked bool) {
	found := f.classifier.Rate(text)
	ratings = make([]api.SafetyRating, 0, len(f.levels))
	for i, category := range rated() {
		from := f.levels[i]
		if from > 4 {
			continue
		}
		level := found[category]
		r := api.SafetyRating{Category: category, Probability: levels()[level], Blocked: level >= from}
		blocked = blocked || r.Blocked
		ratings = append(ratings, r)
	}
	return ratings, blocked
}

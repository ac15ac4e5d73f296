package generate

import (
	"fmt"
	"slices"

	"stoa.dev/stoa/internal/service/generate/api"
)

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

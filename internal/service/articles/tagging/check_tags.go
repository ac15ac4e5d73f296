package tagging

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa.dev/stoa/internal/service/articles/refusal"
)

// Tagging is a tag on an item, with the versions the item is about.
type Tagging struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
}

// NotNull gives a tagging without versions an empty list: null stays off the wire.
func (t Tagging) NotNull() Tagging {
	if t.Versions == nil {
		t.Versions = []string{}
	}
	return t
}

const (
	// Max is how many tags an item has.
	Max         = 5
	maxTagName  = 100
	maxVersions = 20
	maxVersion  = 64
)

// CheckAll checks the rules of tags; public items need one at least.
func CheckAll(tags []Tagging, public bool) error {
	if len(tags) > Max || (public && len(tags) == 0) {
		return refusal.New(refusal.BadRequest, "tags must hold 1 to 5 tags")
	}
	seen := map[string]bool{}
	for _, t := range tags {
		if err := Check(t); err != nil {
			return err
		}
		if seen[Fold(t.Name)] {
			return refusal.New(refusal.BadRequest, "tags must not hold a tag twice")
		}
		seen[Fold(t.Name)] = true
	}
	return nil
}

// Check checks the rules of one tag.
func Check(t Tagging) error {
	blank := strings.ContainsFunc(t.Name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	if t.Name == "" || utf8.RuneCountInString(t.Name) > maxTagName || blank {
		return refusal.New(refusal.BadRequest, "the name of a tag must have 1 to 100 characters and no space")
	}
	long := slices.ContainsFunc(t.Versions, func(v string) bool { return len(v) > maxVersion })
	if len(t.Versions) > maxVersions || long {
		return refusal.New(refusal.BadRequest, "versions must hold at most 20 versions of at most 64 bytes")
	}
	return nil
}

// Fold is how a tag is found whatever its case.
func Fold(name string) string { return strings.ToLower(name) }

// Order is the order in which tags are made: the same for all writers, so
// that two never wait for each other in a circle.
func Order(tags []Tagging) []int {
	order := make([]int, len(tags))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(Fold(tags[a].Name), Fold(tags[b].Name)) })
	return order
}

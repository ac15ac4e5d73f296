package tagging

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa.dev/stoa/internal/service/articles/refusal"
)

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

package metrics

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Series is points of one metric with one set of tags. Tags are "key:value" or
// bare words, normalised by [Normalize].
type Series struct {
	Metric  string
	Tags    []string
	Samples []Sample
}

// Sample is a value, or a distribution of values, at a time.
type Sample struct {
	Ms     int64
	Value  float64
	Sketch *query.Sketch
}

// Written counts what a write did.
type Written struct {
	Stored int
	TooOld int // behind the window in which the engine takes late points
}

// Bounds of names.
const (
	MaxMetric = 200
	MaxTag    = 200
	MaxTags   = 100
	MaxUnit   = 100
	// MaxSubmitted is how many series, and points, one submission holds.
	MaxSubmitted = 50_000
)

// ValidMetric reports whether a metric's name begins with a letter, is made of
// letters, digits, underscores and dots and is at most 200 characters long.
func ValidMetric(s string) bool {
	if s == "" || len(s) > MaxMetric || !letter(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !letter(c) && (c < '0' || c > '9') && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Normalize lower-cases, trims, cuts, sorts and removes repeated tags.
func Normalize(tags []string) []string {
	out := make([]string, 0, len(tags))
	for _, t := range tags {
		t = strings.ToLower(strings.TrimSpace(strings.ToValidUTF8(t, "_")))
		t = strings.Map(func(r rune) rune {
			if r < ' ' || strings.ContainsRune(`,{}()"'!`, r) {
				return '_'
			}
			return r
		}, t)
		if len(t) > MaxTag {
			t = strings.ToValidUTF8(t[:MaxTag], "")
		}
		if t = strings.TrimLeft(t, ":"); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sane keeps times within the years that the engine can count.
func sane(ms int64) bool { return ms >= 0 && ms < 253402300800000 }

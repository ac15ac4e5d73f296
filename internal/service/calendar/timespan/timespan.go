package timespan

import (
	"slices"
	"time"
)

// Span is a window of time; a zero side is open.
type Span struct{ From, To time.Time }

// Max is the last day that can be written in every zone with four digits of
// the year.
func Max() time.Time { return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }

// Later is the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Earlier is the earlier of two times.
func Earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Merge makes one of periods that meet.
func Merge(periods []Span) []Span {
	slices.SortFunc(periods, func(a, b Span) int { return a.From.Compare(b.From) })
	var out []Span
	for _, one := range periods {
		if n := len(out); n > 0 && !one.From.After(out[n-1].To) {
			out[n-1].To = Later(out[n-1].To, one.To)
			continue
		}
		out = append(out, one)
	}
	return out
}

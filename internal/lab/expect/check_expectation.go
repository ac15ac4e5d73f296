package expect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/journal/statusclass"
)

// Expectation says which calls are looked for and how many there should be. Without
// any bound at least one is expected.
type Expectation struct {
	Calls                    journal.Filter
	Exactly, AtLeast, AtMost *int
	// NoCloserThan is how far apart the calls of the world's time have to begin.
	NoCloserThan time.Duration
}

// Verdict is how the journal compares.
type Verdict struct {
	Pass    bool
	Found   int
	Message string
	// Nearest is the call that the message is about; nil where there is none.
	Nearest *journal.Record
}

// bounds are the least and the greatest number, -1 for none.
func (e Expectation) bounds() (least, greatest int, words string) {
	least, greatest = -1, -1
	switch {
	case e.Exactly != nil:
		return *e.Exactly, *e.Exactly, fmt.Sprint("exactly ", *e.Exactly)
	case e.AtLeast == nil && e.AtMost == nil:
		return 1, greatest, "at least 1"
	}
	var said []string
	if e.AtLeast != nil {
		least = *e.AtLeast
		said = append(said, fmt.Sprint("at least ", least))
	}
	if e.AtMost != nil {
		greatest = *e.AtMost
		said = append(said, fmt.Sprint("at most ", greatest))
	}
	return least, greatest, strings.Join(said, " and ")
}

// Check looks through the journal.
func Check(j *journal.Journal, e Expectation) Verdict {
	var found []*journal.Record
	for r := range j.OldestFirst() {
		if e.Calls.Match(r) {
			found = append(found, r)
		}
	}
	// By arrival: they are kept in the order in which they ended.
	slices.SortStableFunc(found, func(a, b *journal.Record) int { return a.At.Compare(b.At) })
	least, greatest, words := e.bounds()
	v := Verdict{Found: len(found)}
	expected := fmt.Sprintf("expected %s %s, found %d", words, calls(&e.Calls, strings.HasSuffix(words, " 1")), len(found))
	switch {
	case len(found) < least:
		v.Message = expected + v.nearest(j, &e.Calls)
	case greatest >= 0 && len(found) > greatest:
		v.Nearest = found[greatest]
		v.Message = expected + "; the first too many is " + name(v.Nearest)
	default:
		v.Message = v.tooClose(found, e.NoCloserThan)
		if v.Pass = v.Message == ""; v.Pass {
			v.Message = expected
		}
	}
	return v
}

func (v *Verdict) nearest(j *journal.Journal, f *journal.Filter) string {
	r, why := j.Nearest(f)
	v.Nearest = r
	switch {
	case r != nil && v.Found > 0:
		return "; the nearest other is " + name(r) + ": " + why
	case r != nil:
		return "; the nearest is " + name(r) + ": " + why
	case v.Found > 0:
		return "; there are no other requests"
	}
	return "; there are no requests"
}

func (v *Verdict) tooClose(found []*journal.Record, gap time.Duration) string {
	for i := 1; i < len(found) && gap > 0; i++ {
		before, r := found[i-1], found[i]
		if apart := r.At.Sub(before.At); apart < gap {
			v.Nearest = r
			return fmt.Sprintf("expected no two calls closer than %s, but %s came %s after request %s", gap, name(r), apart,
				before.ID())
		}
	}
	return ""
}

func name(r *journal.Record) string {
	return fmt.Sprintf("request %s, %s %s", r.ID(), r.Method, r.Path())
}

// calls says in words what is looked for.
func calls(f *journal.Filter, one bool) string {
	said := []string{"calls"}
	if one {
		said[0] = "call"
	}
	add := func(format, value string) {
		if value != "" {
			said = append(said, fmt.Sprintf(format, value))
		}
	}
	add("of %s", f.Operation)
	add("to %s", f.Service)
	add("by %s", f.Caller)
	add("with method %s", f.Method)
	add("at %s", f.Path)
	if f.Status != (statusclass.Status{}) {
		add("answered %s", f.Status.String())
	}
	if len(f.Header) > 0 {
		said = append(said, "with these headers")
	}
	if len(f.Body) > 0 {
		said = append(said, "with this body")
	}
	return strings.Join(said, " ")
}

package event

import (
	"slices"
	"strings"
)

// KeepOmitted keeps the attendees that a changed event had before, where the change says that it leaves some out: it
// is about those that it names.
func (e *Event) KeepOmitted(before []Attendee) {
	if !e.AttendeesOmitted {
		return
	}
	named := e.Attendees
	e.Attendees = slices.Clone(before)
	for _, a := range named {
		same := func(b Attendee) bool { return strings.EqualFold(a.Email, b.Email) }
		if n := slices.IndexFunc(e.Attendees, same); n >= 0 {
			e.Attendees[n] = a
		} else {
			e.Attendees = append(e.Attendees, a)
		}
	}
}

package event

import (
	"slices"
	"strings"
)

// HasProperties reports whether an event has all of the properties.
func (e *Event) HasProperties(private, shared map[string]string) bool {
	p := e.ExtendedProperties
	if p == nil {
		p = &Properties{}
	}
	return contains(p.Private, private) && contains(p.Shared, shared)
}

func contains(have, want map[string]string) bool {
	for name, value := range want {
		if got, ok := have[name]; !ok || got != value {
			return false
		}
	}
	return true
}

// Mentions reports whether all words, in lower case, occur somewhere in an
// event's texts.
func (e *Event) Mentions(words []string) bool {
	if len(words) == 0 {
		return true
	}
	var b strings.Builder
	for _, text := range []string{e.Summary, e.Description, e.Location} {
		b.WriteString(text)
		b.WriteByte('\n')
	}
	for _, a := range e.Attendees {
		b.WriteString(a.DisplayName + "\n" + a.Email + "\n")
	}
	if e.Organizer != nil {
		b.WriteString(e.Organizer.DisplayName + "\n" + e.Organizer.Email)
	}
	text := strings.ToLower(b.String())
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

package event

import (
	"slices"
	"strings"
)

// Property is a property that an event is asked to have.
type Property struct{ Name, Value string }

// HasProperties reports whether an event has all of the properties.
func (e *Event) HasProperties(private, shared []Property) bool {
	p := e.ExtendedProperties
	if p == nil {
		p = &Properties{}
	}
	return hasAll(p.Private, private) && hasAll(p.Shared, shared)
}

func hasAll(have map[string]string, want []Property) bool {
	for _, one := range want {
		if got, ok := have[one.Name]; !ok || got != one.Value {
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

package invitation

import (
	"slices"

	"stoa.dev/stoa/internal/service/calendar/event"
)

// Guests are the addresses of an event's attendees without the calendar that it is on.
func Guests(doc event.Event, calendar string) (addresses []string) {
	for _, a := range doc.Attendees {
		if a.Email != calendar && !a.Resource && !slices.Contains(addresses, a.Email) {
			addresses = append(addresses, a.Email)
		}
	}
	return addresses
}

// Copy is the original as a guest gets it. before is the guest's copy as it was, nil if
// there is none.
func Copy(original event.Event, guest string, before *event.Event) event.Event {
	doc := original
	doc.Reminders, doc.ColorID = &event.Reminders{UseDefault: true}, ""
	var shared, private map[string]string
	if original.ExtendedProperties != nil {
		shared = original.ExtendedProperties.Shared
	}
	if before != nil {
		doc.Reminders, doc.ColorID = before.Reminders, before.ColorID
		doc.Transparency, doc.Visibility = before.Transparency, before.Visibility
		if before.ExtendedProperties != nil {
			private = before.ExtendedProperties.Private
		}
	}
	doc.ExtendedProperties = nil
	if len(shared)+len(private) > 0 {
		doc.ExtendedProperties = &event.Properties{Private: private, Shared: shared}
	}
	if original.GuestsCanSeeOtherGuests == nil || *original.GuestsCanSeeOtherGuests {
		return doc
	}
	// Guests who do not see each other see themselves.
	doc.Attendees = slices.DeleteFunc(slices.Clone(doc.Attendees), func(a event.Attendee) bool { return a.Email != guest })
	doc.AttendeesOmitted = true
	return doc
}

// Answer finds what a guest said, nil for who is not invited.
func Answer(doc event.Event, guest string) *event.Attendee {
	for i := range doc.Attendees {
		if doc.Attendees[i].Email == guest {
			return &doc.Attendees[i]
		}
	}
	return nil
}

// Declined reports whether a guest will not come.
func Declined(doc event.Event, guest string) bool {
	a := Answer(doc, guest)
	return a != nil && a.ResponseStatus == "declined"
}

// OnlyOwn reports whether a guest's change is of nothing but what is the guest's own.
func OnlyOwn(before, after event.Event, guest string) bool {
	return event.Same(withoutOwn(before, guest), withoutOwn(after, guest))
}

// withoutOwn is an event without what a guest may change.
func withoutOwn(doc event.Event, guest string) event.Event {
	doc.Reminders, doc.ColorID, doc.Transparency, doc.Visibility = nil, "", "", ""
	doc.AttendeesOmitted = false
	if doc.ExtendedProperties != nil {
		doc.ExtendedProperties = &event.Properties{Shared: doc.ExtendedProperties.Shared}
		if len(doc.ExtendedProperties.Shared) == 0 {
			doc.ExtendedProperties = nil
		}
	}
	doc.Attendees = slices.Clone(doc.Attendees)
	for i := range doc.Attendees {
		if a := &doc.Attendees[i]; a.Email == guest {
			*a = event.Attendee{Email: guest, Optional: a.Optional, Organizer: a.Organizer}
		} else {
			a.Self, a.Organizer, a.ID = false, false, ""
		}
	}
	return doc
}

// WithAnswer is an event with what a guest says, unchanged for who is not invited.
func WithAnswer(doc event.Event, answer event.Attendee) event.Event {
	doc.Attendees = slices.Clone(doc.Attendees)
	for i := range doc.Attendees {
		if a := &doc.Attendees[i]; a.Email == answer.Email {
			a.ResponseStatus, a.Comment, a.AdditionalGuests = answer.ResponseStatus, answer.Comment, answer.AdditionalGuests
		}
	}
	return doc
}

package event

// TimesOnly leaves of an event of a calendar when it takes time: the events of a question about that may be many, and
// none of them is shown.
func TimesOnly(doc Event, calendar string) Event {
	left := Event{
		Start: doc.Start, End: doc.End, Recurrence: doc.Recurrence, Transparency: doc.Transparency,
		EventType: doc.EventType, Visibility: doc.Visibility,
	}
	for _, a := range doc.Attendees {
		if a.Email == calendar {
			left.Attendees = append(left.Attendees, Attendee{Email: a.Email, ResponseStatus: a.ResponseStatus})
		}
	}
	return left
}

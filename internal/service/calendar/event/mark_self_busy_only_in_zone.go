package event

import "time"

// BusyOnly leaves of an event only when it is.
func BusyOnly(e Event) *Event {
	return &Event{
		Kind: e.Kind, ETag: e.ETag, ID: e.ID, Status: e.Status, Updated: e.Updated, Start: e.Start, End: e.End,
		Recurrence:       e.Recurrence,
		RecurringEventID: e.RecurringEventID, OriginalStartTime: e.OriginalStartTime, Transparency: e.Transparency,
		Visibility: "private", ICalUID: e.ICalUID, EventType: e.EventType,
	}
}

// MarkSelf marks the calendar's own user.
func MarkSelf(p *Participant, calendar string) *Participant {
	if p == nil {
		return nil
	}
	out := *p
	out.Self = out.Email == calendar
	return &out
}

// MarkAttendees marks the calendar's own attendee, and leaves only that one when
// there are more than asked for.
func MarkAttendees(e Event, calendar string, limit int) ([]Attendee, bool) {
	omit := limit > 0 && len(e.Attendees) > limit
	var out []Attendee
	for _, a := range e.Attendees {
		a.Self = a.Email == calendar
		a.Organizer = e.Organizer != nil && a.Email == e.Organizer.Email
		if !omit || a.Self {
			out = append(out, a)
		}
	}
	return out, e.AttendeesOmitted || omit
}

// InZone writes a time in the zone of the answer; dates have none.
func InZone(t *Time, zone *time.Location) *Time {
	if t == nil || t.DateTime == "" || zone == nil {
		return t
	}
	at, err := time.Parse(time.RFC3339, t.DateTime)
	if err != nil {
		return t
	}
	return &Time{DateTime: at.In(zone).Format(time.RFC3339), TimeZone: t.TimeZone}
}

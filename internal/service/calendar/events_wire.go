package calendar

import (
	"time"

	"stoa.dev/stoa/internal/service/calendar/event"
)

// eventsJSON is Events of the contract.
type eventsJSON struct {
	Kind             string           `json:"kind"`
	ETag             string           `json:"etag"`
	Summary          string           `json:"summary"`
	Description      string           `json:"description,omitempty"`
	Updated          string           `json:"updated"`
	TimeZone         string           `json:"timeZone"`
	AccessRole       Role             `json:"accessRole"`
	DefaultReminders []event.Reminder `json:"defaultReminders"`
	NextPageToken    string           `json:"nextPageToken,omitempty"`
	NextSyncToken    string           `json:"nextSyncToken,omitempty"`
	Items            []*event.Event   `json:"items"`
}

func (e *eventsJSON) Tag() string { return e.ETag }

// view is how one request wants events shown.
type view struct {
	calendar  calendarRow
	role      Role
	zone      *time.Location
	attendees int
}

// eventToWire shows an event to a user with a role on its calendar, linked below base.
func eventToWire(e eventRow, v view, base string) *event.Event {
	out := e.doc
	out.Kind, out.ETag, out.ID = "calendar#event", etag(e.updated, e.seq), e.id
	out.Updated, out.ICalUID = formatTime(e.updated), e.uid
	out.HTMLLink = base + calendarPath(e.calendar) + "/events/" + e.id
	if e.cancelled {
		out.Status = "cancelled"
	}
	out.Start, out.End = inZone(out.Start, v.zone), inZone(out.End, v.zone)
	out.OriginalStartTime = inZone(out.OriginalStartTime, v.zone)
	if !visibleTo(out, v.role) {
		return busyOnly(out)
	}
	out.Creator, out.Organizer = markSelf(out.Creator, e.calendar), markSelf(out.Organizer, e.calendar)
	if out.Organizer != nil && out.Organizer.Self && out.Organizer.DisplayName == "" && !v.calendar.primary {
		out.Organizer.DisplayName = v.calendar.doc.Summary
	}
	out.Attendees, out.AttendeesOmitted = markAttendees(out, e.calendar, v.attendees)
	return &out
}

// visibleTo reports whether a role shows more of an event than when it is.
func visibleTo(e event.Event, role Role) bool {
	secret := e.Visibility == "private" || e.Visibility == "confidential"
	return role.allows(RoleReader) && (!secret || role.mayReadPrivate())
}

// busyOnly leaves of an event only when it is.
func busyOnly(e event.Event) *event.Event {
	return &event.Event{
		Kind: e.Kind, ETag: e.ETag, ID: e.ID, Status: e.Status, Updated: e.Updated, Start: e.Start, End: e.End,
		Recurrence:       e.Recurrence,
		RecurringEventID: e.RecurringEventID, OriginalStartTime: e.OriginalStartTime, Transparency: e.Transparency,
		Visibility: "private", ICalUID: e.ICalUID, EventType: e.EventType,
	}
}

// markSelf marks the calendar's own user.
func markSelf(p *event.Participant, calendar string) *event.Participant {
	if p == nil {
		return nil
	}
	out := *p
	out.Self = out.Email == calendar
	return &out
}

// markAttendees marks the calendar's own attendee, and leaves only that one when
// there are more than asked for.
func markAttendees(e event.Event, calendar string, limit int) ([]event.Attendee, bool) {
	omit := limit > 0 && len(e.Attendees) > limit
	var out []event.Attendee
	for _, a := range e.Attendees {
		a.Self = a.Email == calendar
		a.Organizer = e.Organizer != nil && a.Email == e.Organizer.Email
		if !omit || a.Self {
			out = append(out, a)
		}
	}
	return out, e.AttendeesOmitted || omit
}

// inZone writes a time in the zone of the answer; dates have none.
func inZone(t *event.Time, zone *time.Location) *event.Time {
	if t == nil || t.DateTime == "" || zone == nil {
		return t
	}
	at, err := time.Parse(time.RFC3339, t.DateTime)
	if err != nil {
		return t
	}
	return &event.Time{DateTime: at.In(zone).Format(time.RFC3339), TimeZone: t.TimeZone}
}

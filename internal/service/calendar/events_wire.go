package calendar

import (
	"time"

	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/eventpage"
	"stoa.dev/stoa/internal/service/calendar/listing"
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

// eventToWire shows an event to a user with a role on its calendar, linked below the base address.
func eventToWire(e eventRow, v view, base string) *event.Event {
	out := e.doc
	out.Kind, out.ETag, out.ID = "calendar#event", listing.ETag(e.updated, e.seq), e.id
	out.Updated, out.ICalUID = formatTime(e.updated), e.uid
	out.HTMLLink = base + eventpage.Path(e.calendar, e.id)
	if e.cancelled {
		out.Status = "cancelled"
	}
	out.Start, out.End = event.InZone(out.Start, v.zone), event.InZone(out.End, v.zone)
	out.OriginalStartTime = event.InZone(out.OriginalStartTime, v.zone)
	if !visibleTo(out, v.role) {
		return event.BusyOnly(out)
	}
	out.Creator, out.Organizer = event.MarkSelf(out.Creator, e.calendar), event.MarkSelf(out.Organizer, e.calendar)
	if out.Organizer != nil && out.Organizer.Self && out.Organizer.DisplayName == "" && !v.calendar.primary {
		out.Organizer.DisplayName = v.calendar.doc.Summary
	}
	out.Attendees, out.AttendeesOmitted = event.MarkAttendees(out, e.calendar, v.attendees)
	return &out
}

// visibleTo reports whether a role shows more of an event than when it is.
func visibleTo(e event.Event, role Role) bool {
	secret := e.Visibility == "private" || e.Visibility == "confidential"
	return role.Allows(RoleReader) && (!secret || role.MayReadPrivate())
}

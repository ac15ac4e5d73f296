package calendar

import (
	"encoding/json"
	"time"
)

// eventsJSON is Events of the contract.
type eventsJSON struct {
	Kind             string         `json:"kind"`
	ETag             string         `json:"etag"`
	Summary          string         `json:"summary"`
	Description      string         `json:"description,omitempty"`
	Updated          string         `json:"updated"`
	TimeZone         string         `json:"timeZone"`
	AccessRole       Role           `json:"accessRole"`
	DefaultReminders []reminderJSON `json:"defaultReminders"`
	NextPageToken    string         `json:"nextPageToken,omitempty"`
	NextSyncToken    string         `json:"nextSyncToken,omitempty"`
	Items            []*eventJSON   `json:"items"`
}

func (e *eventsJSON) tag() string { return e.ETag }

// eventJSON is Event of the contract, and the document that is stored.
type eventJSON struct {
	Kind                      string          `json:"kind,omitempty"`
	ETag                      string          `json:"etag,omitempty"`
	ID                        string          `json:"id,omitempty"`
	Status                    string          `json:"status,omitempty"`
	HTMLLink                  string          `json:"htmlLink,omitempty"`
	Created                   string          `json:"created,omitempty"`
	Updated                   string          `json:"updated,omitempty"`
	Summary                   string          `json:"summary,omitempty"`
	Description               string          `json:"description,omitempty"`
	Location                  string          `json:"location,omitempty"`
	ColorID                   string          `json:"colorId,omitempty"`
	EventLabelID              string          `json:"eventLabelId,omitempty"`
	Creator                   *personJSON     `json:"creator,omitempty"`
	Organizer                 *personJSON     `json:"organizer,omitempty"`
	Start                     *timeJSON       `json:"start,omitempty"`
	End                       *timeJSON       `json:"end,omitempty"`
	EndTimeUnspecified        bool            `json:"endTimeUnspecified,omitempty"`
	Recurrence                []string        `json:"recurrence,omitempty"`
	RecurringEventID          string          `json:"recurringEventId,omitempty"`
	OriginalStartTime         *timeJSON       `json:"originalStartTime,omitempty"`
	Transparency              string          `json:"transparency,omitempty"`
	Visibility                string          `json:"visibility,omitempty"`
	ICalUID                   string          `json:"iCalUID,omitempty"`
	Sequence                  int64           `json:"sequence"`
	Attendees                 []attendeeJSON  `json:"attendees,omitempty"`
	AttendeesOmitted          bool            `json:"attendeesOmitted,omitempty"`
	ExtendedProperties        *propertiesJSON `json:"extendedProperties,omitempty"`
	ConferenceData            json.RawMessage `json:"conferenceData,omitempty"`
	Gadget                    json.RawMessage `json:"gadget,omitempty"`
	AnyoneCanAddSelf          bool            `json:"anyoneCanAddSelf,omitempty"`
	GuestsCanInviteOthers     *bool           `json:"guestsCanInviteOthers,omitempty"`
	GuestsCanModify           bool            `json:"guestsCanModify,omitempty"`
	GuestsCanSeeOtherGuests   *bool           `json:"guestsCanSeeOtherGuests,omitempty"`
	PrivateCopy               bool            `json:"privateCopy,omitempty"`
	Locked                    bool            `json:"locked,omitempty"`
	Reminders                 *remindersJSON  `json:"reminders,omitempty"`
	Source                    *sourceJSON     `json:"source,omitempty"`
	Attachments               []attachment    `json:"attachments,omitempty"`
	EventType                 string          `json:"eventType,omitempty"`
	BirthdayProperties        json.RawMessage `json:"birthdayProperties,omitempty"`
	FocusTimeProperties       json.RawMessage `json:"focusTimeProperties,omitempty"`
	OutOfOfficeProperties     json.RawMessage `json:"outOfOfficeProperties,omitempty"`
	WorkingLocationProperties json.RawMessage `json:"workingLocationProperties,omitempty"`
}

func (e *eventJSON) tag() string { return e.ETag }

// timeJSON is EventDateTime: a date, or a time with its zone.
type timeJSON struct {
	Date     string `json:"date,omitempty"`
	DateTime string `json:"dateTime,omitempty"`
	TimeZone string `json:"timeZone,omitempty"`
}

type personJSON struct {
	ID          string `json:"id,omitempty"`
	Email       string `json:"email,omitempty"`
	DisplayName string `json:"displayName,omitempty"`
	Self        bool   `json:"self,omitempty"`
}

type attendeeJSON struct {
	ID               string `json:"id,omitempty"`
	Email            string `json:"email,omitempty"`
	DisplayName      string `json:"displayName,omitempty"`
	Organizer        bool   `json:"organizer,omitempty"`
	Self             bool   `json:"self,omitempty"`
	Resource         bool   `json:"resource,omitempty"`
	Optional         bool   `json:"optional,omitempty"`
	ResponseStatus   string `json:"responseStatus,omitempty"`
	Comment          string `json:"comment,omitempty"`
	AdditionalGuests int64  `json:"additionalGuests,omitempty"`
}

type propertiesJSON struct {
	Private map[string]string `json:"private,omitempty"`
	Shared  map[string]string `json:"shared,omitempty"`
}

type remindersJSON struct {
	UseDefault bool           `json:"useDefault"`
	Overrides  []reminderJSON `json:"overrides,omitempty"`
}

type sourceJSON struct {
	URL   string `json:"url,omitempty"`
	Title string `json:"title,omitempty"`
}

type attachment struct {
	FileURL  string `json:"fileUrl"`
	Title    string `json:"title,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
	IconLink string `json:"iconLink,omitempty"`
	FileID   string `json:"fileId,omitempty"`
}

// view is how one request wants events shown.
type view struct {
	calendar  calendarRow
	role      Role
	zone      *time.Location
	attendees int
}

// eventToWire shows an event to somebody with a role on its calendar.
func (s *Service) eventToWire(e eventRow, v view) *eventJSON {
	out := e.doc
	out.Kind, out.ETag, out.ID = "calendar#event", etag(e.updated, e.seq), e.id
	out.Updated, out.ICalUID = stamp(e.updated), e.uid
	out.HTMLLink = s.base() + calendarPath(e.calendar) + "/events/" + e.id
	if e.cancelled {
		out.Status = "cancelled"
	}
	out.Start, out.End = shown(out.Start, v.zone), shown(out.End, v.zone)
	out.OriginalStartTime = shown(out.OriginalStartTime, v.zone)
	if !out.openTo(v.role) {
		return out.busy()
	}
	out.Creator, out.Organizer = self(out.Creator, e.calendar), self(out.Organizer, e.calendar)
	if out.Organizer != nil && out.Organizer.Self && out.Organizer.DisplayName == "" && !v.calendar.primary {
		out.Organizer.DisplayName = v.calendar.doc.Summary
	}
	out.Attendees, out.AttendeesOmitted = guests(out, e.calendar, v.attendees)
	return &out
}

// openTo reports whether a role shows more of an event than when it is.
func (e eventJSON) openTo(role Role) bool {
	secret := e.Visibility == "private" || e.Visibility == "confidential"
	return role.allows(RoleReader) && (!secret || role.seesPrivate())
}

// busy leaves of an event only when it is.
func (e eventJSON) busy() *eventJSON {
	return &eventJSON{
		Kind: e.Kind, ETag: e.ETag, ID: e.ID, Status: e.Status, Updated: e.Updated, Start: e.Start, End: e.End, Recurrence: e.Recurrence,
		RecurringEventID: e.RecurringEventID, OriginalStartTime: e.OriginalStartTime, Transparency: e.Transparency,
		Visibility: "private", ICalUID: e.ICalUID, EventType: e.EventType,
	}
}

// self marks the calendar's own person.
func self(p *personJSON, calendar string) *personJSON {
	if p == nil {
		return nil
	}
	out := *p
	out.Self = out.Email == calendar
	return &out
}

// guests marks the calendar's own attendee, and leaves only that one when
// there are more than asked for.
func guests(e eventJSON, calendar string, most int) ([]attendeeJSON, bool) {
	omit := most > 0 && len(e.Attendees) > most
	var out []attendeeJSON
	for _, a := range e.Attendees {
		a.Self = a.Email == calendar
		a.Organizer = e.Organizer != nil && a.Email == e.Organizer.Email
		if !omit || a.Self {
			out = append(out, a)
		}
	}
	return out, e.AttendeesOmitted || omit
}

// shown writes a time in the zone of the answer; dates have none.
func shown(t *timeJSON, zone *time.Location) *timeJSON {
	if t == nil || t.DateTime == "" || zone == nil {
		return t
	}
	at, err := time.Parse(time.RFC3339, t.DateTime)
	if err != nil {
		return t
	}
	return &timeJSON{DateTime: at.In(zone).Format(time.RFC3339), TimeZone: t.TimeZone}
}

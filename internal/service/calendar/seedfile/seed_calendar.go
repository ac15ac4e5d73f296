package seedfile

import "encoding/json"

// Calendar is an element of the section.
type Calendar struct {
	User        string `json:"user" doc:"Who owns it."`
	Primary     bool   `json:"primary,omitempty" doc:"The calendar that every user has; only access and events are its own."`
	Summary     string `json:"summary,omitempty" doc:"The title of a calendar that is not the primary one."`
	Description string `json:"description,omitempty" doc:"A longer text."`
	Location    string `json:"location,omitempty" doc:"A place."`
	TimeZone    string `json:"timeZone,omitempty" doc:"A zone such as Europe/Athens; UTC when left out."`

	Access []Access `json:"access,omitempty" doc:"Who else may do what."`
	Events []Event  `json:"events,omitempty" doc:"Events and series."`
}

// Access is a rule about who may do what.
type Access struct {
	Role  string `json:"role" doc:"freeBusyReader, reader, writer or owner."`
	Type  string `json:"type" enum:"default,user,group,domain" doc:"Whom the rule is about."`
	Value string `json:"value,omitempty" doc:"The address or domain."`
}

// Time is a day or a time.
type Time struct {
	Date     string `json:"date,omitempty" doc:"A whole day, such as 2026-03-01."`
	DateTime string `json:"dateTime,omitempty" doc:"A time, such as 2026-03-01T09:00:00Z."`
	TimeZone string `json:"timeZone,omitempty" doc:"The zone; that of the calendar when left out."`
}

// Attendee is an address that is invited.
type Attendee struct {
	Email          string `json:"email" doc:"The address."`
	DisplayName    string `json:"displayName,omitempty" doc:"The name."`
	Optional       bool   `json:"optional,omitempty" doc:"Whether the event can do without."`
	ResponseStatus string `json:"responseStatus,omitempty" doc:"needsAction, accepted, tentative or declined."`
}

// Event has the members of the contract's Event that a seed file holds, by the
// same names.
type Event struct {
	ID           string     `json:"id,omitempty" doc:"The identifier; chosen when left out."`
	Summary      string     `json:"summary,omitempty" doc:"The title."`
	Description  string     `json:"description,omitempty" doc:"A longer text."`
	Location     string     `json:"location,omitempty" doc:"A place."`
	Start        Time       `json:"start" doc:"When it begins."`
	End          Time       `json:"end" doc:"When it ends."`
	Recurrence   []string   `json:"recurrence,omitempty" doc:"Rules such as RRULE:FREQ=WEEKLY."`
	Attendees    []Attendee `json:"attendees,omitempty" doc:"Who is invited."`
	ColorID      string     `json:"colorId,omitempty" doc:"A color of the palette."`
	Status       string     `json:"status,omitempty" doc:"confirmed or tentative."`
	Transparency string     `json:"transparency,omitempty" doc:"opaque or transparent."`
	Visibility   string     `json:"visibility,omitempty" doc:"default, public, private or confidential."`
}

// NewEvent is the event of a document, which has its members by the same names.
func NewEvent(id string, doc any) (e Event, err error) {
	if err = convert(doc, &e); err != nil {
		return e, err
	}
	e.ID = id
	if e.Status == "confirmed" {
		e.Status = ""
	}
	return e, nil
}

// Into sets the members of a document.
func (e Event) Into(doc any) error { return convert(e, doc) }

// convert copies the members that two types share by their names.
func convert(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

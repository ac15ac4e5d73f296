package event

import "encoding/json"

// Event is Event of the contract, and the document that is stored.
type Event struct {
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
	Creator                   *Participant    `json:"creator,omitempty"`
	Organizer                 *Participant    `json:"organizer,omitempty"`
	Start                     *Time           `json:"start,omitempty"`
	End                       *Time           `json:"end,omitempty"`
	EndTimeUnspecified        bool            `json:"endTimeUnspecified,omitempty"`
	Recurrence                []string        `json:"recurrence,omitempty"`
	RecurringEventID          string          `json:"recurringEventId,omitempty"`
	OriginalStartTime         *Time           `json:"originalStartTime,omitempty"`
	Transparency              string          `json:"transparency,omitempty"`
	Visibility                string          `json:"visibility,omitempty"`
	ICalUID                   string          `json:"iCalUID,omitempty"`
	Sequence                  int64           `json:"sequence"`
	Attendees                 []Attendee      `json:"attendees,omitempty"`
	AttendeesOmitted          bool            `json:"attendeesOmitted,omitempty"`
	ExtendedProperties        *Properties     `json:"extendedProperties,omitempty"`
	ConferenceData            json.RawMessage `json:"conferenceData,omitempty"`
	Gadget                    json.RawMessage `json:"gadget,omitempty"`
	AnyoneCanAddSelf          bool            `json:"anyoneCanAddSelf,omitempty"`
	GuestsCanInviteOthers     *bool           `json:"guestsCanInviteOthers,omitempty"`
	GuestsCanModify           bool            `json:"guestsCanModify,omitempty"`
	GuestsCanSeeOtherGuests   *bool           `json:"guestsCanSeeOtherGuests,omitempty"`
	PrivateCopy               bool            `json:"privateCopy,omitempty"`
	Locked                    bool            `json:"locked,omitempty"`
	Reminders                 *Reminders      `json:"reminders,omitempty"`
	Source                    *Source         `json:"source,omitempty"`
	Attachments               []Attachment    `json:"attachments,omitempty"`
	EventType                 string          `json:"eventType,omitempty"`
	BirthdayProperties        json.RawMessage `json:"birthdayProperties,omitempty"`
	FocusTimeProperties       json.RawMessage `json:"focusTimeProperties,omitempty"`
	OutOfOfficeProperties     json.RawMessage `json:"outOfOfficeProperties,omitempty"`
	WorkingLocationProperties json.RawMessage `json:"workingLocationProperties,omitempty"`
}

// Tag is the entity tag.
func (e *Event) Tag() string { return e.ETag }

// Participant is who made an event, or whose calendar it is organized in.
type Participant struct {
	ID          string `json:"id,omitempty"`
	Email       string `json:"email,omitempty"`
	DisplayName string `json:"displayName,omitempty"`
	Self        bool   `json:"self,omitempty"`
}

// Attendee is who is invited, and the answer.
type Attendee struct {
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

// Properties are what applications keep with an event.
type Properties struct {
	Private map[string]string `json:"private,omitempty"`
	Shared  map[string]string `json:"shared,omitempty"`
}

// Reminders are those of the calendar, or of this event alone.
type Reminders struct {
	UseDefault bool       `json:"useDefault"`
	Overrides  []Reminder `json:"overrides,omitempty"`
}

// Source is where an event was made from.
type Source struct {
	URL   string `json:"url,omitempty"`
	Title string `json:"title,omitempty"`
}

// Attachment is a file that an event names.
type Attachment struct {
	FileURL  string `json:"fileUrl"`
	Title    string `json:"title,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
	IconLink string `json:"iconLink,omitempty"`
	FileID   string `json:"fileId,omitempty"`
}

// Reminder is how, and how long before, a user is reminded.
type Reminder struct {
	Method  string `json:"method"`
	Minutes int64  `json:"minutes"`
}

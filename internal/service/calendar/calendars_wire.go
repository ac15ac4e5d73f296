package calendar

import (
	"encoding/json"
	"strconv"
	"time"
)

// calendarJSON is Calendar of the contract, and the document that is stored.
type calendarJSON struct {
	Kind                  string          `json:"kind,omitempty"`
	ETag                  string          `json:"etag,omitempty"`
	ID                    string          `json:"id,omitempty"`
	Summary               string          `json:"summary"`
	Description           string          `json:"description,omitempty"`
	Location              string          `json:"location,omitempty"`
	TimeZone              string          `json:"timeZone,omitempty"`
	ConferenceProperties  json.RawMessage `json:"conferenceProperties,omitempty"`
	LabelProperties       json.RawMessage `json:"labelProperties,omitempty"`
	DataOwner             string          `json:"dataOwner,omitempty"`
	AutoAcceptInvitations bool            `json:"autoAcceptInvitations,omitempty"`
}

func (c *calendarJSON) Tag() string { return c.ETag }

func (s *Service) calendarToWire(c calendarRow, owner string) *calendarJSON {
	out := c.doc
	out.Kind, out.ID, out.ETag = "calendar#calendar", c.id, etag(c.updated, c.version)
	if !c.primary {
		out.DataOwner = owner
	}
	if len(out.ConferenceProperties) == 0 {
		out.ConferenceProperties = s.conferences
	}
	return &out
}

// etag is a quoted decimal of the change's time and number.
func etag(updated time.Time, seq int64) string {
	return `"` + strconv.FormatInt(updated.UnixMilli(), 10) + padded(seq) + `"`
}

func padded(seq int64) string {
	text := strconv.FormatInt(seq, 10)
	for len(text) < 3 {
		text = "0" + text
	}
	return text
}

// formatTime is how times of changes are written.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

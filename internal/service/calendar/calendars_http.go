package calendar

import (
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

func (s *Service) handleInsertCalendar(r *route.Request, u user) (any, error) {
	var doc calendarJSON
	if err := readDocument(r, &doc); err != nil {
		return nil, err
	}
	return answer(s.InsertCalendar(r.Context(), u, doc))
}

func (s *Service) handleGetCalendar(r *route.Request, u user) (any, error) {
	return answer(s.GetCalendar(r.Context(), u, r.PathValue("calendarId")))
}

func (s *Service) handleUpdateCalendar(r *route.Request, u user) (any, error) {
	ch, err := readChange(r)
	if err != nil {
		return nil, err
	}
	return answer(s.ChangeCalendar(r.Context(), u, r.PathValue("calendarId"), ch))
}

func (s *Service) handleDeleteCalendar(r *route.Request, u user) (any, error) {
	return nil, s.DeleteCalendar(r.Context(), u, r.PathValue("calendarId"), ifMatch(r))
}

func (s *Service) handleClearCalendar(r *route.Request, u user) (any, error) {
	return nil, s.ClearCalendar(r.Context(), u, r.PathValue("calendarId"))
}

func (s *Service) handleTransferCalendar(r *route.Request, u user) (any, error) {
	to := r.Query().Get("newDataOwner")
	if to == "" {
		return nil, refusal.Required("newDataOwner")
	}
	return nil, s.TransferCalendar(r.Context(), u, r.PathValue("calendarId"), to)
}

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
	out.Kind, out.ID, out.ETag = "calendar#calendar", c.id, listing.ETag(c.updated, c.version)
	if !c.primary {
		out.DataOwner = owner
	}
	if len(out.ConferenceProperties) == 0 {
		out.ConferenceProperties = s.conferenceKinds
	}
	return &out
}

// formatTime is how times of changes are written.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

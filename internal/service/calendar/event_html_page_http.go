package calendar

import (
	"errors"
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/eventpage"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// handleEventPage shows an event to who is signed in and may see it.
func (s *Service) handleEventPage(w http.ResponseWriter, r *route.Request) error {
	show, err := s.identity.ShowPage(s.eventPage)
	if errors.Is(err, identity.ErrNoPages) {
		return refusal.NotFound()
	}
	if err != nil {
		return err
	}
	err = show(w, r)
	missing, err := refusal.IsMissing(err)
	if !missing {
		return err
	}
	message, err := s.identity.ShowMessage(identity.Message{
		Status: http.StatusNotFound, Title: "No such event",
		Text: "There is no event at this address, or you may not see it.",
	})
	if err != nil {
		return err
	}
	return message(w, r)
}

func (s *Service) eventPage(r *route.Request, account *identity.User) (identity.Page, error) {
	if account == nil {
		return identity.Page{}, identity.ErrSignIn
	}
	calendar, id, ok := eventpage.Parse(r.URL.Query().Get("eid"))
	if !ok {
		return identity.Page{}, refusal.NotFound()
	}
	u, err := s.ensureUser(r.Context(), account.ID)
	if err != nil {
		return identity.Page{}, err
	}
	u.unrestricted = true
	e, err := s.GetEvent(r.Context(), u, calendar, id, view{})
	if err != nil {
		return identity.Page{}, err
	}
	html, err := eventpage.Render(e, calendar)
	return identity.Page{Title: e.Summary, HTML: html}, err
}

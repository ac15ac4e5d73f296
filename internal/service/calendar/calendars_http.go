package calendar

import (
	"stoa.dev/stoa/internal/platform/route"
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

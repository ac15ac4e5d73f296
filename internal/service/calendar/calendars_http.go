package calendar

import "stoa.dev/stoa/internal/platform/route"

func (s *Service) handleInsertCalendar(r *route.Request, p person) (any, error) {
	var doc calendarJSON
	if err := readDocument(r, &doc); err != nil {
		return nil, err
	}
	return answer(s.InsertCalendar(r.Context(), p, doc))
}

func (s *Service) handleGetCalendar(r *route.Request, p person) (any, error) {
	return answer(s.GetCalendar(r.Context(), p, r.PathValue("calendarId")))
}

func (s *Service) handleUpdateCalendar(r *route.Request, p person) (any, error) {
	ch, err := readChange(r, false)
	if err != nil {
		return nil, err
	}
	return answer(s.ChangeCalendar(r.Context(), p, r.PathValue("calendarId"), ch))
}

func (s *Service) handlePatchCalendar(r *route.Request, p person) (any, error) {
	ch, err := readChange(r, true)
	if err != nil {
		return nil, err
	}
	return answer(s.ChangeCalendar(r.Context(), p, r.PathValue("calendarId"), ch))
}

func (s *Service) handleDeleteCalendar(r *route.Request, p person) (any, error) {
	return nil, s.DeleteCalendar(r.Context(), p, r.PathValue("calendarId"))
}

func (s *Service) handleClearCalendar(r *route.Request, p person) (any, error) {
	return nil, s.ClearCalendar(r.Context(), p, r.PathValue("calendarId"))
}

func (s *Service) handleTransferCalendar(r *route.Request, p person) (any, error) {
	to := r.Query().Get("newDataOwner")
	if to == "" {
		return nil, errRequired("newDataOwner")
	}
	return nil, s.TransferCalendar(r.Context(), p, r.PathValue("calendarId"), to)
}

// readChange reads the body of an update or a patch and its condition.
func readChange(r *route.Request, merges bool) (change, error) {
	body, err := readBody(r)
	return change{body: body, merges: merges, ifMatch: r.Header.Get("If-Match")}, err
}

// answer keeps a typed nil from being written as an answer.
func answer[T any](v *T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

package calendar

import "stoa.dev/stoa/internal/platform/route"

func (s *Service) handleListACL(r *route.Request, u user) (any, error) {
	q := &query{r: r}
	l, deleted := readPageRequest(q, defaultPageSize, maxPageSize), q.flag("showDeleted")
	if q.has("showDeleted") && !deleted && l.SyncToken != "" {
		q.fail("showDeleted", "deleted rules are always part of a sync")
	}
	if q.err != nil {
		return nil, q.err
	}
	return answer(s.ListACL(r.Context(), u, r.PathValue("calendarId"), l, deleted))
}

func (s *Service) handleGetACL(r *route.Request, u user) (any, error) {
	return answer(s.GetACL(r.Context(), u, r.PathValue("calendarId"), r.PathValue("ruleId")))
}

func (s *Service) handleInsertACL(r *route.Request, u user) (any, error) {
	var doc ruleJSON
	if err := readDocument(r, &doc); err != nil {
		return nil, err
	}
	return answer(s.InsertACL(r.Context(), u, r.PathValue("calendarId"), doc))
}

func (s *Service) handleUpdateACL(r *route.Request, u user) (any, error) {
	var doc ruleJSON
	if err := readDocument(r, &doc); err != nil {
		return nil, err
	}
	return answer(s.UpdateACL(r.Context(), u, r.PathValue("calendarId"), r.PathValue("ruleId"), doc,
		r.Header.Get("If-Match")))
}

func (s *Service) handleDeleteACL(r *route.Request, u user) (any, error) {
	return nil, s.DeleteACL(r.Context(), u, r.PathValue("calendarId"), r.PathValue("ruleId"), r.Header.Get("If-Match"))
}

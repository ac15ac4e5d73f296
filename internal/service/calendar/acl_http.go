package calendar

import (
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/queryparams"
)

func (s *Service) handleListACL(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	l, deleted := q.Page(queryparams.DefaultPageSize, queryparams.MaxPageSize), q.Flag("showDeleted")
	if q.Has("showDeleted") && !deleted && l.SyncToken != "" {
		q.Fail("showDeleted", "deleted rules are always part of a sync")
	}
	if q.Err() != nil {
		return nil, q.Err()
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
	return answer(s.UpdateACL(r.Context(), u, r.PathValue("calendarId"), r.PathValue("ruleId"), doc, ifMatch(r)))
}

func (s *Service) handleDeleteACL(r *route.Request, u user) (any, error) {
	return nil, s.DeleteACL(r.Context(), u, r.PathValue("calendarId"), r.PathValue("ruleId"), ifMatch(r))
}

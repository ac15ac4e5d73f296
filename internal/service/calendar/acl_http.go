package calendar

import "stoa.dev/stoa/internal/platform/route"

// smallPage and smallPages are the default and the largest page of every list
// but events.
const (
	smallPage  = 100
	smallPages = 250
)

// readListing reads the parameters that all lists have.
func readListing(q *query, size, most int) listing {
	return listing{
		filters:   filters(q.r.Query()),
		pageToken: q.text("pageToken"), syncToken: q.text("syncToken"),
		size: q.number("maxResults", size, most),
	}
}

func (s *Service) handleListACL(r *route.Request, p person) (any, error) {
	q := &query{r: r}
	l, deleted := readListing(q, smallPage, smallPages), q.flag("showDeleted")
	if q.has("showDeleted") && !deleted && l.syncToken != "" {
		q.fail("showDeleted", "deleted rules are always part of a sync")
	}
	if q.err != nil {
		return nil, q.err
	}
	return answer(s.ListACL(r.Context(), p, r.PathValue("calendarId"), l, deleted))
}

func (s *Service) handleGetACL(r *route.Request, p person) (any, error) {
	return answer(s.GetACL(r.Context(), p, r.PathValue("calendarId"), r.PathValue("ruleId")))
}

func (s *Service) handleInsertACL(r *route.Request, p person) (any, error) {
	var doc ruleJSON
	if err := readDocument(r, &doc); err != nil {
		return nil, err
	}
	return answer(s.InsertACL(r.Context(), p, r.PathValue("calendarId"), doc))
}

func (s *Service) handleUpdateACL(r *route.Request, p person) (any, error) {
	var doc ruleJSON
	if err := readDocument(r, &doc); err != nil {
		return nil, err
	}
	return answer(s.UpdateACL(r.Context(), p, r.PathValue("calendarId"), r.PathValue("ruleId"), doc, r.Header.Get("If-Match")))
}

func (s *Service) handleDeleteACL(r *route.Request, p person) (any, error) {
	return nil, s.DeleteACL(r.Context(), p, r.PathValue("calendarId"), r.PathValue("ruleId"), r.Header.Get("If-Match"))
}

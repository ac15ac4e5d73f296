package calendar

import (
	"cmp"
	"slices"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/reason"
)

func (s *Service) handleListCalendarList(r *route.Request, u user) (any, error) {
	q := &query{r: r}
	l := readPageRequest(q, defaultPageSize, maxPageSize)
	f := entryFilter{deleted: q.flag("showDeleted"), hidden: q.flag("showHidden"), role: RoleFreeBusy}
	if role := q.text("minAccessRole"); role != "" {
		f.role = Role(role)
		if !slices.Contains(roles()[1:], f.role) {
			q.fail("minAccessRole", "%s is not a role", reason.Clip(role))
		}
	}
	if l.SyncToken != "" {
		for _, name := range []string{"minAccessRole", "showOwnOrganizationOnly"} {
			if q.has(name) {
				q.fail(name, "%s cannot be combined with syncToken", name)
			}
		}
		for _, name := range []string{"showDeleted", "showHidden"} {
			if q.has(name) && !q.flag(name) {
				q.fail(name, "%s must not be false with syncToken", name)
			}
		}
	}
	if q.err != nil {
		return nil, q.err
	}
	return answer(s.ListCalendarList(r.Context(), u, l, f))
}

func (s *Service) handleGetCalendarList(r *route.Request, u user) (any, error) {
	return answer(s.GetCalendarList(r.Context(), u, r.PathValue("calendarId")))
}

func (s *Service) handleInsertCalendarList(r *route.Request, u user) (any, error) {
	q := &query{r: r}
	rgb := q.flag("colorRgbFormat")
	var doc entryJSON
	if err := cmp.Or(q.err, readDocument(r, &doc)); err != nil {
		return nil, err
	}
	return answer(s.InsertCalendarList(r.Context(), u, doc, rgb))
}

func (s *Service) handleUpdateCalendarList(r *route.Request, u user) (any, error) {
	q := &query{r: r}
	rgb := q.flag("colorRgbFormat")
	ch, err := readChange(r)
	if err := cmp.Or(q.err, err); err != nil {
		return nil, err
	}
	return answer(s.ChangeCalendarList(r.Context(), u, r.PathValue("calendarId"), ch, rgb))
}

func (s *Service) handleDeleteCalendarList(r *route.Request, u user) (any, error) {
	return nil, s.DeleteCalendarList(r.Context(), u, r.PathValue("calendarId"))
}

package calendar

import (
	"cmp"
	"slices"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/permission"
	"stoa.dev/stoa/internal/service/calendar/queryparams"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

func (s *Service) handleListCalendarList(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	l := q.Page(queryparams.DefaultPageSize, queryparams.MaxPageSize)
	f := entryFilter{deleted: q.Flag("showDeleted"), hidden: q.Flag("showHidden"), role: RoleFreeBusy}
	if role := q.Text("minAccessRole"); role != "" {
		f.role = Role(role)
		if !slices.Contains(permission.Roles()[1:], f.role) {
			q.Fail("minAccessRole", "%s is not a role", refusal.Clip(role))
		}
	}
	if l.SyncToken != "" {
		for _, name := range []string{"minAccessRole", "showOwnOrganizationOnly"} {
			if q.Has(name) {
				q.Fail(name, "%s cannot be combined with syncToken", name)
			}
		}
		for _, name := range []string{"showDeleted", "showHidden"} {
			if q.Has(name) && !q.Flag(name) {
				q.Fail(name, "%s must not be false with syncToken", name)
			}
		}
	}
	if q.Err() != nil {
		return nil, q.Err()
	}
	return answer(s.ListCalendarList(r.Context(), u, l, f))
}

func (s *Service) handleGetCalendarList(r *route.Request, u user) (any, error) {
	return answer(s.GetCalendarList(r.Context(), u, r.PathValue("calendarId")))
}

func (s *Service) handleInsertCalendarList(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	rgb := q.Flag("colorRgbFormat")
	var doc entryJSON
	if err := cmp.Or(q.Err(), readDocument(r, &doc)); err != nil {
		return nil, err
	}
	return answer(s.InsertCalendarList(r.Context(), u, doc, rgb))
}

func (s *Service) handleUpdateCalendarList(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	rgb := q.Flag("colorRgbFormat")
	ch, err := readChange(r)
	if err := cmp.Or(q.Err(), err); err != nil {
		return nil, err
	}
	return answer(s.ChangeCalendarList(r.Context(), u, r.PathValue("calendarId"), ch, rgb))
}

func (s *Service) handleDeleteCalendarList(r *route.Request, u user) (any, error) {
	return nil, s.DeleteCalendarList(r.Context(), u, r.PathValue("calendarId"), ifMatch(r))
}

package calendar

import (
	"slices"

	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) handleListCalendarList(r *route.Request, p person) (any, error) {
	q := &query{r: r}
	l := readListing(q, smallPage, smallPages)
	f := entryFilter{deleted: q.flag("showDeleted"), hidden: q.flag("showHidden"), role: RoleFreeBusy}
	if role := q.text("minAccessRole"); role != "" {
		f.role = Role(role)
		if !slices.Contains(roles()[1:], f.role) {
			q.fail("minAccessRole", "%s is not a role", clip(role))
		}
	}
	if l.syncToken != "" {
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
	return answer(s.ListCalendarList(r.Context(), p, l, f))
}

func (s *Service) handleGetCalendarList(r *route.Request, p person) (any, error) {
	return answer(s.GetCalendarList(r.Context(), p, r.PathValue("calendarId")))
}

func (s *Service) handleInsertCalendarList(r *route.Request, p person) (any, error) {
	q := &query{r: r}
	rgb := q.flag("colorRgbFormat")
	var doc entryJSON
	if err := firstOf(q.err, readDocument(r, &doc)); err != nil {
		return nil, err
	}
	return answer(s.InsertCalendarList(r.Context(), p, doc, rgb))
}

func (s *Service) handleUpdateCalendarList(r *route.Request, p person) (any, error) {
	return s.changeEntry(r, p, false)
}

func (s *Service) handlePatchCalendarList(r *route.Request, p person) (any, error) {
	return s.changeEntry(r, p, true)
}

func (s *Service) changeEntry(r *route.Request, p person, merges bool) (any, error) {
	q := &query{r: r}
	rgb := q.flag("colorRgbFormat")
	ch, err := readChange(r, merges)
	if err := firstOf(q.err, err); err != nil {
		return nil, err
	}
	return answer(s.ChangeCalendarList(r.Context(), p, r.PathValue("calendarId"), ch, rgb))
}

func (s *Service) handleDeleteCalendarList(r *route.Request, p person) (any, error) {
	return nil, s.DeleteCalendarList(r.Context(), p, r.PathValue("calendarId"))
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

package calendar

import (
	"strings"

	"stoa.dev/stoa/internal/platform/route"
)

// largePage and largePages are the default and the largest page of events.
const (
	largePage  = 250
	largePages = 2500
)

// readView reads how events are to be shown.
func readView(q *query) view {
	v := view{zone: q.zone("timeZone")}
	if q.has("maxAttendees") {
		v.attendees = q.number("maxAttendees", 0, 1<<30)
	}
	return v
}

func (s *Service) handleInsertEvent(r *route.Request, p person) (any, error) {
	q := &query{r: r}
	v := readView(q)
	var doc eventJSON
	if err := firstOf(q.err, readDocument(r, &doc)); err != nil {
		return nil, err
	}
	return answer(s.InsertEvent(r.Context(), p, r.PathValue("calendarId"), doc, v))
}

func (s *Service) handleImportEvent(r *route.Request, p person) (any, error) {
	var doc eventJSON
	if err := readDocument(r, &doc); err != nil {
		return nil, err
	}
	return answer(s.ImportEvent(r.Context(), p, r.PathValue("calendarId"), doc))
}

func (s *Service) handleQuickAddEvent(r *route.Request, p person) (any, error) {
	text := strings.TrimSpace(r.Query().Get("text"))
	if text == "" {
		return nil, errRequired("text")
	}
	return answer(s.QuickAddEvent(r.Context(), p, r.PathValue("calendarId"), text))
}

func (s *Service) handleGetEvent(r *route.Request, p person) (any, error) {
	q := &query{r: r}
	v := readView(q)
	if q.err != nil {
		return nil, q.err
	}
	return answer(s.GetEvent(r.Context(), p, r.PathValue("calendarId"), r.PathValue("eventId"), v))
}

func (s *Service) handleUpdateEvent(r *route.Request, p person) (any, error) {
	return s.changeEvent(r, p, false)
}

func (s *Service) handlePatchEvent(r *route.Request, p person) (any, error) {
	return s.changeEvent(r, p, true)
}

func (s *Service) changeEvent(r *route.Request, p person, merges bool) (any, error) {
	q := &query{r: r}
	v := readView(q)
	ch, err := readChange(r, merges)
	if err := firstOf(q.err, err); err != nil {
		return nil, err
	}
	return answer(s.ChangeEvent(r.Context(), p, r.PathValue("calendarId"), r.PathValue("eventId"), ch, v))
}

func (s *Service) handleDeleteEvent(r *route.Request, p person) (any, error) {
	return nil, s.DeleteEvent(r.Context(), p, r.PathValue("calendarId"), r.PathValue("eventId"), r.Header.Get("If-Match"))
}

func (s *Service) handleMoveEvent(r *route.Request, p person) (any, error) {
	to := r.Query().Get("destination")
	if to == "" {
		return nil, errRequired("destination")
	}
	return answer(s.MoveEvent(r.Context(), p, r.PathValue("calendarId"), r.PathValue("eventId"), to))
}

func (s *Service) handleListEvents(r *route.Request, p person) (any, error) {
	q := &query{r: r}
	l, f, v := readListing(q, largePage, largePages), readFilter(q), readView(q)
	if l.syncToken != "" {
		for _, name := range []string{
			"iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty", "timeMin", "timeMax", "updatedMin",
		} {
			if q.has(name) {
				q.fail(name, "Sync token cannot be used with other query restrictions: %s", name)
			}
		}
		if q.has("showDeleted") && !f.deleted {
			q.fail("showDeleted", "deleted events are always part of a sync")
		}
	}
	if q.err != nil {
		return nil, q.err
	}
	list := func() (*eventsJSON, error) { return s.ListEvents(r.Context(), p, r.PathValue("calendarId"), l, f, v) }
	if !lasting(l, f) {
		return answer(list())
	}
	return s.remembered(r, p, list)
}

func (s *Service) handleListInstances(r *route.Request, p person) (any, error) {
	q := &query{r: r}
	l, v := readListing(q, largePage, largePages), readView(q)
	f := eventFilter{window: readWindow(q), deleted: q.flag("showDeleted")}
	if q.err != nil {
		return nil, q.err
	}
	return answer(s.ListInstances(r.Context(), p, r.PathValue("calendarId"), r.PathValue("eventId"), l, f, v))
}

func readWindow(q *query) span {
	w := span{q.moment("timeMin"), q.moment("timeMax")}
	if q.err == nil && !w.from.IsZero() && !w.to.IsZero() && !w.from.Before(w.to) {
		q.err = errTimeRange("timeMax")
	}
	return w
}

func readFilter(q *query) eventFilter {
	f := eventFilter{
		window: readWindow(q), single: q.flag("singleEvents"), deleted: q.flag("showDeleted"), updatedMin: q.moment("updatedMin"),
		uid: q.text("iCalUID"), words: strings.Fields(strings.ToLower(q.text("q"))), types: q.r.Query()["eventTypes"],
		private: readProperties(q, "privateExtendedProperty"), shared: readProperties(q, "sharedExtendedProperty"),
	}
	switch order := q.text("orderBy"); {
	case order != "" && order != "startTime" && order != "updated":
		q.fail("orderBy", "orderBy is startTime or updated")
	case order == "startTime" && !f.single:
		q.fail("orderBy", "The requested ordering is not available for the particular query: startTime needs singleEvents=true")
	}
	return f
}

func readProperties(q *query, name string) map[string]string {
	out := map[string]string{}
	for _, pair := range q.r.Query()[name] {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			q.fail(name, "%s is written name=value", name)
		}
		out[key] = value
	}
	return out
}

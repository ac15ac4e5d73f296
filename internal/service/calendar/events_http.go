package calendar

import (
	"cmp"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/queryparams"
	"stoa.dev/stoa/internal/service/calendar/refusal"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

// largePage and largePages are the default and the largest page of events.
const (
	defaultEventsPageSize = 250
	maxEventsPageSize     = 2500
)

// readView reads how events are to be shown.
func readView(q *queryparams.Query) view {
	v := view{zone: q.Zone("timeZone")}
	if q.Has("maxAttendees") {
		v.attendees = q.Number("maxAttendees", 0, 1<<30)
	}
	return v
}

func (s *Service) handleInsertEvent(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	v := readView(q)
	var doc event.Event
	if err := cmp.Or(q.Err(), readDocument(r, &doc)); err != nil {
		return nil, err
	}
	return answer(s.InsertEvent(r.Context(), u, r.PathValue("calendarId"), doc, v))
}

func (s *Service) handleImportEvent(r *route.Request, u user) (any, error) {
	var doc event.Event
	if err := readDocument(r, &doc); err != nil {
		return nil, err
	}
	return answer(s.ImportEvent(r.Context(), u, r.PathValue("calendarId"), doc))
}

func (s *Service) handleQuickAddEvent(r *route.Request, u user) (any, error) {
	text := strings.TrimSpace(r.Query().Get("text"))
	if text == "" {
		return nil, refusal.Required("text")
	}
	return answer(s.QuickAddEvent(r.Context(), u, r.PathValue("calendarId"), text))
}

func (s *Service) handleGetEvent(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	v := readView(q)
	if q.Err() != nil {
		return nil, q.Err()
	}
	return answer(s.GetEvent(r.Context(), u, r.PathValue("calendarId"), r.PathValue("eventId"), v))
}

func (s *Service) handleUpdateEvent(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	v := readView(q)
	ch, err := readChange(r)
	if err := cmp.Or(q.Err(), err); err != nil {
		return nil, err
	}
	return answer(s.ChangeEvent(r.Context(), u, r.PathValue("calendarId"), r.PathValue("eventId"), ch, v))
}

func (s *Service) handleDeleteEvent(r *route.Request, u user) (any, error) {
	return nil, s.DeleteEvent(r.Context(), u, r.PathValue("calendarId"), r.PathValue("eventId"), ifMatch(r))
}

func (s *Service) handleMoveEvent(r *route.Request, u user) (any, error) {
	to := r.Query().Get("destination")
	if to == "" {
		return nil, refusal.Required("destination")
	}
	return answer(s.MoveEvent(r.Context(), u, r.PathValue("calendarId"), r.PathValue("eventId"), to))
}

func (s *Service) handleListEvents(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	l, f, v := q.Page(defaultEventsPageSize, maxEventsPageSize), readFilter(q), readView(q)
	if l.SyncToken != "" {
		for _, name := range []string{
			"iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty", "timeMin", "timeMax",
			"updatedMin",
		} {
			if q.Has(name) {
				q.Fail(name, "Sync token cannot be used with other query restrictions: %s", name)
			}
		}
		if q.Has("showDeleted") && !f.deleted {
			q.Fail("showDeleted", "deleted events are always part of a sync")
		}
	}
	if q.Err() != nil {
		return nil, q.Err()
	}
	list := func() (*eventsJSON, error) { return s.ListEvents(r.Context(), u, r.PathValue("calendarId"), l, f, v) }
	if !cacheable(l, f) {
		return answer(list())
	}
	return s.cachedList(r, u, list)
}

func (s *Service) handleListInstances(r *route.Request, u user) (any, error) {
	q := queryparams.New(r)
	l, v := q.Page(defaultEventsPageSize, maxEventsPageSize), readView(q)
	f := eventFilter{window: readWindow(q), deleted: q.Flag("showDeleted")}
	if q.Err() != nil {
		return nil, q.Err()
	}
	return answer(s.ListInstances(r.Context(), u, r.PathValue("calendarId"), r.PathValue("eventId"), l, f, v))
}

func readWindow(q *queryparams.Query) timespan.Span {
	w := timespan.Span{From: q.Moment("timeMin"), To: q.Moment("timeMax")}
	if !w.From.IsZero() && !w.To.IsZero() && !w.From.Before(w.To) {
		q.Refuse(refusal.TimeRange("timeMax"))
	}
	return w
}

func readFilter(q *queryparams.Query) eventFilter {
	f := eventFilter{
		window: readWindow(q), single: q.Flag("singleEvents"), deleted: q.Flag("showDeleted"),
		updatedMin: q.Moment("updatedMin"),
		uid:        q.Text("iCalUID"), words: strings.Fields(strings.ToLower(q.Text("q"))),
		types:   q.Values()["eventTypes"],
		private: readProperties(q, "privateExtendedProperty"), shared: readProperties(q, "sharedExtendedProperty"),
	}
	for _, one := range f.types {
		if !slices.Contains(event.Types(), one) && one != "fromGmail" {
			q.Fail("eventTypes", "%s is not a type of events", refusal.Clip(one))
		}
	}
	switch order := q.Text("orderBy"); {
	case order != "" && order != "startTime" && order != "updated":
		q.Fail("orderBy", "orderBy is startTime or updated")
	case order == "startTime" && !f.single:
		q.Fail("orderBy",
			"The requested ordering is not available for the particular query: startTime needs singleEvents=true")
	}
	return f
}

func readProperties(q *queryparams.Query, name string) (out []event.Property) {
	for _, pair := range q.Values()[name] {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			q.Fail(name, "%s is written name=value", name)
		}
		out = append(out, event.Property{Name: key, Value: value})
	}
	return out
}

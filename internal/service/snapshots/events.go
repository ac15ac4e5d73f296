package snapshots

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
)

// Bounds of an event.
const (
	maxEventTitle = 500
	maxEventText  = 4000
	eventsPerPage = 1000
)

// PostEvent stores an event and returns it as stored.
func (s *Service) PostEvent(ctx context.Context, t Tenant, e Event) (Event, error) {
	switch {
	case strings.TrimSpace(e.Title) == "":
		return e, errInvalid("title is required")
	case len(e.Title) > maxEventTitle:
		return e, errInvalid("title is longer than %d bytes", maxEventTitle)
	case len(e.Text) > maxEventText:
		return e, errInvalid("text is longer than %d bytes", maxEventText)
	case !slices.Contains([]string{"", "normal", "low"}, e.Priority):
		return e, errInvalid("priority is normal or low, not %q", e.Priority)
	case !slices.Contains(
		[]string{"", "error", "warning", "info", "success", "user_update", "recommendation", "snapshot"}, e.AlertType,
	):
		return e, errInvalid(
			"alert_type is error, warning, info, success, user_update, recommendation or snapshot, not %q", e.AlertType,
		)
	case max(len(e.Host), len(e.Source), len(e.AggregationKey), len(e.DeviceName)) > maxEventTitle:
		return e, errInvalid("host, source_type_name, aggregation_key and device_name have at most %d bytes",
			maxEventTitle)
	case len(e.Tags) > metrics.MaxTags:
		return e, errInvalid("an event has at most %d tags", metrics.MaxTags)
	}
	now := s.world.Clock.Now()
	if e.Happened == 0 {
		e.Happened = now.Unix()
	}
	if e.Happened < 0 || e.Happened > now.Unix()+86400 {
		return e, errInvalid("date_happened is a POSIX time in seconds and not more than a day ahead")
	}
	e.Priority, e.AlertType = cmp.Or(e.Priority, "normal"), cmp.Or(e.AlertType, "info")
	e.Tags = metrics.Normalize(e.Tags)
	e.ID = s.world.IDs.Int64N(1<<53-1) + 1
	defer s.rendered.forget(t.Org)
	return e, insertEvent(ctx, s.world.DB, t.Org, e, now)
}

// EventFilter narrows a list of events.
type EventFilter struct {
	Start, End              int64
	Priority, Sources, Tags string
	Page                    int
}

// ListEvents returns a page of events, latest first.
func (s *Service) ListEvents(ctx context.Context, t Tenant, f EventFilter) ([]Event, error) {
	if f.End < f.Start {
		return nil, errInvalid("end is before start")
	}
	if len(f.Sources)+len(f.Tags) > maxTitle {
		return nil, errInvalid("sources and tags are longer than %d bytes", maxTitle)
	}
	match, sources := eventMatch{tags: splitList(f.Tags)}, splitList(f.Sources)
	out, skip := []Event{}, f.Page*eventsPerPage
	err := s.eachEvent(ctx, t, f.Start, f.End, 10*eventsPerPage, func(e Event) bool {
		fits := match.accepts(e) && (f.Priority == "" || f.Priority == "all" || f.Priority == e.Priority) &&
			(f.Sources == "" || slices.Contains(sources, strings.ToLower(e.Source)))
		if fits && skip > 0 {
			skip--
		} else if fits {
			out = append(out, e)
		}
		return len(out) < eventsPerPage
	})
	return out, err
}

// eventsAtOnce is how many events are read together: few, because each may be
// long.
const eventsAtOnce = 250

// eachEvent hands over what happened between two Unix seconds, latest first, at
// most most events, until each has seen enough.
func (s *Service) eachEvent(ctx context.Context, t Tenant, from, to int64, limit int, each func(Event) bool) error {
	last := Event{Happened: to, ID: math.MaxInt64}
	for read := 0; read < limit; {
		list, err := listEvents(ctx, s.world.DB, t.Org, from, last, min(eventsAtOnce, limit-read))
		if err != nil || len(list) == 0 {
			return err
		}
		for _, e := range list {
			if !each(e) {
				return nil
			}
		}
		read, last = read+len(list), list[len(list)-1]
	}
	return nil
}

func splitList(s string) []string {
	var out []string
	for _, p := range strings.Split(strings.ToLower(s), ",") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// GetEvent returns one event.
func (s *Service) GetEvent(ctx context.Context, t Tenant, id int64) (Event, error) {
	return eventByID(ctx, s.world.DB, t.Org, id)
}

// eventMatch is an event search: every part must hold.
type eventMatch struct {
	tags, words, types []string
	host, source       string
	priority           string
}

// parseEventQuery reads a search such as "tags:env:prod,role:db status:error
// deploy". Words without a known key are looked for in title and text.
func parseEventQuery(text string) eventMatch {
	var m eventMatch
	for _, word := range strings.Fields(strings.ToLower(text)) {
		key, value, ok := strings.Cut(word, ":")
		switch {
		case word == "*":
		case ok && key == "tags":
			m.tags = append(m.tags, splitList(value)...)
		case ok && (key == "hosts" || key == "host"):
			m.host = value
		case ok && (key == "sources" || key == "source"):
			m.source = value
		case ok && (key == "status" || key == "alert_type"):
			m.types = append(m.types, splitList(value)...)
		case ok && key == "priority":
			m.priority = value
		case ok:
			m.tags = append(m.tags, word)
		default:
			m.words = append(m.words, word)
		}
	}
	return m
}

func (m eventMatch) accepts(e Event) bool {
	for _, tag := range m.tags {
		if !slices.Contains(e.Tags, tag) {
			return false
		}
	}
	text := strings.ToLower(e.Title + "\n" + e.Text)
	for _, w := range m.words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return (m.host == "" || m.host == strings.ToLower(e.Host)) &&
		(m.source == "" || m.source == strings.ToLower(e.Source)) &&
		(m.priority == "" || m.priority == "all" || m.priority == e.Priority) &&
		(len(m.types) == 0 || slices.Contains(m.types, e.AlertType))
}

package events

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

// Bounds of an event, and of a list of them. maxShort is that of a title and of other short texts.
const (
	maxShort  = 500
	maxText   = 4000
	maxFilter = 1000
	perPage   = 1000
)

// Event is something that happened, drawn as a band.
type Event struct {
	ID             int64
	Happened       int64 // Unix seconds
	Title, Text    string
	Priority       string
	AlertType      string
	Host           string
	Source         string
	Tags           []string
	AggregationKey string
	DeviceName     string
	RelatedEventID int64
}

// Events are those of all owners.
type Events struct {
	world     *world.World
	retention time.Duration
	most      int
}

// New makes the events of a world, which keeps them for a while after they happened, and so many of an owner at most.
func New(w *world.World, retention time.Duration, most int) *Events {
	return &Events{world: w, retention: retention, most: most}
}

// check refuses what the contract does not know, and what is too long.
func (e Event) check() error {
	switch {
	case strings.TrimSpace(e.Title) == "":
		return refusal.Invalid("title is required")
	case len(e.Title) > maxShort:
		return refusal.Invalid("title is longer than %d bytes", maxShort)
	case len(e.Text) > maxText:
		return refusal.Invalid("text is longer than %d bytes", maxText)
	case !slices.Contains([]string{"", "normal", "low"}, e.Priority):
		return refusal.Invalid("priority is normal or low, not %q", e.Priority)
	case !slices.Contains(
		[]string{"", "error", "warning", "info", "success", "user_update", "recommendation", "snapshot"}, e.AlertType,
	):
		return refusal.Invalid(
			"alert_type is error, warning, info, success, user_update, recommendation or snapshot, not %q", e.AlertType,
		)
	case max(len(e.Host), len(e.Source), len(e.AggregationKey), len(e.DeviceName)) > maxShort:
		return refusal.Invalid("host, source_type_name, aggregation_key and device_name have at most %d bytes",
			maxShort)
	case len(e.Tags) > metrics.MaxTags:
		return refusal.Invalid("an event has at most %d tags", metrics.MaxTags)
	}
	return nil
}

// Post stores an event of an owner and returns it as stored.
func (s *Events) Post(ctx context.Context, org string, e Event) (Event, error) {
	if err := e.check(); err != nil {
		return e, err
	}
	now := s.world.Clock.Now()
	if e.Happened == 0 {
		e.Happened = now.Unix()
	}
	if e.Happened < 0 || e.Happened > now.Unix()+86400 {
		return e, refusal.Invalid("date_happened is a POSIX time in seconds and not more than a day ahead")
	}
	if oldest := now.Add(-s.retention).Unix(); e.Happened < oldest {
		return e, refusal.Invalid("date_happened is before %d: older events are not kept", oldest)
	}
	e.Priority, e.AlertType = cmp.Or(e.Priority, "normal"), cmp.Or(e.AlertType, "info")
	e.Tags = metrics.Normalize(e.Tags)
	e.ID = s.world.IDs.Int64N(1<<53-1) + 1
	if err := s.trimOwner(ctx, org, e.ID); err != nil {
		return e, err
	}
	return e, insert(ctx, s.world.DB, org, e, now)
}

// Filter narrows a list of events.
type Filter struct {
	Start, End              int64
	Priority, Sources, Tags string
	Page                    int
}

// maxLookedAt is how many events one request for a page looks at.
const maxLookedAt = 10 * perPage

// List returns a page of an owner's events, latest first.
func (s *Events) List(ctx context.Context, org string, f Filter) ([]Event, error) {
	if f.End < f.Start {
		return nil, refusal.Invalid("end is before start")
	}
	if len(f.Sources)+len(f.Tags) > maxFilter {
		return nil, refusal.Invalid("sources and tags are longer than %d bytes", maxFilter)
	}
	match, sources := Search{tags: splitList(f.Tags)}, splitList(f.Sources)
	out, skip, looked := []Event{}, f.Page*perPage, 0
	err := s.Each(ctx, org, f.Start, f.End, maxLookedAt+1, func(e Event) bool {
		if looked++; looked > maxLookedAt {
			return false
		}
		fits := match.Accepts(e) && (f.Priority == "" || f.Priority == "all" || f.Priority == e.Priority) &&
			(f.Sources == "" || slices.Contains(sources, strings.ToLower(e.Source)))
		if fits && skip > 0 {
			skip--
		} else if fits {
			out = append(out, e)
		}
		return len(out) < perPage
	})
	if err == nil && looked > maxLookedAt {
		// An answer that left out the others would look like the last page.
		return nil, refusal.Invalid("there are more than %d events between start and end to look at; choose a shorter time",
			maxLookedAt)
	}
	return out, err
}

// atOnce is how many events are read together: few, because each may be
// long.
const atOnce = 250

// Each hands over what happened to an owner between two Unix seconds, latest first, at
// most limit events, until each has seen enough.
func (s *Events) Each(ctx context.Context, org string, from, to int64, limit int, each func(Event) bool) error {
	last := Event{Happened: to, ID: math.MaxInt64}
	for read := 0; read < limit; {
		some, err := list(ctx, s.world.DB, org, from, last, min(atOnce, limit-read))
		if err != nil || len(some) == 0 {
			return err
		}
		for _, e := range some {
			if !each(e) {
				return nil
			}
		}
		read, last = read+len(some), some[len(some)-1]
	}
	return nil
}

// Get returns one event of an owner.
func (s *Events) Get(ctx context.Context, org string, id int64) (Event, error) {
	return byID(ctx, s.world.DB, org, id)
}

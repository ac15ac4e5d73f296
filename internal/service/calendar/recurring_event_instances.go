package calendar

import (
	"context"
	"errors"
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

// maxSteps is what one request may spend on expanding series: enough for 2,000
// weekly ones and a year.
const maxSteps = 200_000

func newSteps(ctx context.Context) *budget.Steps { return budget.NewSteps(ctx, maxSteps) }

// zones are where a series' start and end are written.
type zones struct{ calendar, start, end *time.Location }

func (e eventRow) zones(calendar *time.Location) zones {
	return zones{calendar: calendar, start: e.doc.Start.Zone(), end: e.doc.End.Zone()}
}

// instance is the series as it is at one key.
func (e eventRow) instance(key time.Time, z zones) eventRow {
	out := e
	out.id, out.series, out.recurring = e.doc.InstanceID(e.id, key), e.id, false
	out.doc = e.doc.Instance(e.id, key, z.start, z.end)
	out.starts, out.ends = out.doc.Start.Instant(z.calendar), out.doc.End.Instant(z.calendar)
	return out
}

// errNoInstance is an id that names no instance of its series.
var errNoInstance = errors.New("calendar: no such instance")

// instanceAt finds the instance with a key.
func (e eventRow) instanceAt(ctx context.Context, key time.Time, zone *time.Location) (eventRow, error) {
	s, err := e.doc.Series()
	if err != nil {
		return eventRow{}, errNoInstance
	}
	if has, err := s.Has(newSteps(ctx), key); err != nil {
		return eventRow{}, err
	} else if !has {
		return eventRow{}, errNoInstance
	}
	return e.instance(key, e.zones(zone)), nil
}

// remainingInstances finds which of the stored instances, by their ids, the series still has.
func (e eventRow) remainingInstances(ctx context.Context, stored []string) (map[string]bool, error) {
	left := map[string]bool{}
	s, err := e.doc.Series()
	if err != nil || !e.recurring || e.cancelled || len(stored) == 0 {
		return left, nil
	}
	var first, last time.Time
	for _, id := range stored {
		_, key, _ := event.SplitInstanceID(id)
		if first.IsZero() || key.Before(first) {
			first = key
		}
		last = timespan.Later(last, key)
	}
	keys, err := s.Between(newSteps(ctx), first, last.Add(time.Second), math.MaxInt32)
	for _, key := range keys {
		left[e.doc.InstanceID(e.id, key)] = true
	}
	return left, err
}

// expand gives the instances of a series that overlap the window, but for
// those that are stored on their own.
func (e eventRow) expand(
	steps *budget.Steps, w timespan.Span, zone *time.Location, stored map[string]bool, limit int,
) (out []eventRow, err error) {
	s, err := e.doc.Series()
	if err != nil {
		return nil, nil // It was checked when it was stored, by wider bounds perhaps.
	}
	slack := time.Duration(0)
	if e.doc.Start.AllDay() {
		slack = 24 * time.Hour // Keys of dates are in UTC, the window is not.
	}
	from, z := w.From, e.zones(zone)
	if from.IsZero() {
		from = e.doc.Start.Key()
	}
	keys, err := s.Between(steps, from.Add(-e.doc.Length()-slack), w.To.Add(slack), limit+len(stored)+3)
	for _, key := range keys {
		if stored[e.doc.InstanceID(e.id, key)] {
			continue
		}
		if one := e.instance(key, z); one.overlaps(w) && len(out) < limit {
			out = append(out, one)
		}
	}
	return out, err
}

// expandFrom is where the window of an expansion begins that goes on at a start. A
// day may be shorter than its key says.
func (e eventRow) expandFrom(start time.Time) time.Time {
	margin := time.Second
	if e.doc.Start.AllDay() {
		margin = 25 * time.Hour
	}
	return start.Add(e.doc.Length() - margin)
}

package calendar

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/service/calendar/recurrence"
)

// timesOf fills in when an event, or all instances of a series, begin and end.
func timesOf(ctx context.Context, e *eventRow, zone *time.Location) error {
	e.starts, e.ends = e.doc.Start.instant(zone), e.doc.End.instant(zone)
	e.recurring = len(e.doc.Recurrence) > 0
	if !e.recurring {
		return nil
	}
	s, err := recurrence.Parse(e.doc.Recurrence, e.seriesStart())
	if err != nil {
		return errInvalid("recurrence", "Invalid recurrence rule: %s", strings.TrimPrefix(err.Error(), recurrence.ErrRule.Error()+": "))
	}
	last, ok, err := s.Last(newSteps(ctx))
	if err != nil {
		return err
	}
	if !ok {
		e.ends = time.Time{}
		return nil
	}
	// A day of room: dates begin at different moments in different zones.
	e.ends = last.Add(e.length() + 24*time.Hour).UTC()
	return nil
}

// length is how long one instance lasts, in the count of its keys.
func (e eventRow) length() time.Duration { return e.doc.End.key().Sub(e.doc.Start.key()) }

// maxSteps is what one request may spend on expanding series: enough for 2,000
// weekly ones and a year.
const maxSteps = 200_000

func newSteps(ctx context.Context) *budget.Steps { return budget.NewSteps(ctx, maxSteps) }

func (e eventRow) seriesStart() recurrence.Start {
	return recurrence.Start{At: e.doc.Start.key(), AllDay: e.doc.Start.allDay(), Zone: e.doc.Start.zone()}
}

// seriesOf reads a stored series; it was checked when it was stored.
func seriesOf(e eventRow) (*recurrence.Series, error) {
	return recurrence.Stored(e.doc.Recurrence, e.seriesStart())
}

// instanceForm is how an instance's start stands in its id.
const instanceForm = "20060102T150405Z"

// instanceID names the instance of a series that begins at a key.
func (e eventRow) instanceID(key time.Time) string {
	if e.doc.Start.allDay() {
		return e.id + "_" + key.UTC().Format("20060102")
	}
	return e.id + "_" + key.UTC().Format(instanceForm)
}

// splitInstance takes an instance's id apart.
func splitInstance(id string) (series string, key time.Time, ok bool) {
	at := strings.LastIndexByte(id, '_')
	if at <= 0 {
		return "", key, false
	}
	for _, form := range []string{instanceForm, "20060102"} {
		if t, err := time.Parse(form, id[at+1:]); err == nil {
			return id[:at], t, true
		}
	}
	return "", key, false
}

// zones are where a series' start and end are written.
type zones struct{ calendar, start, end *time.Location }

func (e eventRow) zones(calendar *time.Location) zones {
	return zones{calendar: calendar, start: e.doc.Start.zone(), end: e.doc.End.zone()}
}

// instance is the series as it is at one key.
func (e eventRow) instance(key time.Time, z zones) eventRow {
	out := e
	out.id, out.series, out.recurring = e.instanceID(key), e.id, false
	out.doc.Recurrence, out.doc.RecurringEventID = nil, e.id
	out.doc.Start, out.doc.OriginalStartTime = e.doc.Start.at(key, z.start), e.doc.Start.at(key, z.start)
	out.doc.End = e.doc.End.at(key.Add(e.length()), z.end)
	out.starts, out.ends = out.doc.Start.instant(z.calendar), out.doc.End.instant(z.calendar)
	return out
}

// errNoInstance is an id that names no instance of its series.
var errNoInstance = errors.New("calendar: no such instance")

// instanceAt finds the instance with a key.
func (e eventRow) instanceAt(ctx context.Context, key time.Time, zone *time.Location) (eventRow, error) {
	s, err := seriesOf(e)
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

// among tells which of the stored instances the series still has.
func (e eventRow) among(ctx context.Context, stored []eventRow) (map[string]bool, error) {
	left := map[string]bool{}
	s, err := seriesOf(e)
	if err != nil || !e.recurring || e.cancelled || len(stored) == 0 {
		return left, nil
	}
	var first, last time.Time
	for _, one := range stored {
		_, key, _ := splitInstance(one.id)
		if first.IsZero() || key.Before(first) {
			first = key
		}
		last = later(last, key)
	}
	keys, err := s.Between(newSteps(ctx), first, last.Add(time.Second), math.MaxInt32)
	for _, key := range keys {
		left[e.instanceID(key)] = true
	}
	return left, err
}

// expand gives the instances of a series that overlap the window, but for
// those that are stored on their own.
func (e eventRow) expand(
	steps *budget.Steps, w span, zone *time.Location, stored map[string]bool, most int,
) (out []eventRow, err error) {
	s, err := seriesOf(e)
	if err != nil {
		return nil, nil // It was checked when it was stored, by wider bounds perhaps.
	}
	slack := time.Duration(0)
	if e.doc.Start.allDay() {
		slack = 24 * time.Hour // Keys of dates are in UTC, the window is not.
	}
	from, z := w.from, e.zones(zone)
	if from.IsZero() {
		from = e.doc.Start.key()
	}
	keys, err := s.Between(steps, from.Add(-e.length()-slack), w.to.Add(slack), most+len(stored)+3)
	for _, key := range keys {
		if stored[e.instanceID(key)] {
			continue
		}
		if one := e.instance(key, z); one.in(w) && len(out) < most {
			out = append(out, one)
		}
	}
	return out, err
}

// after is where the window of an expansion begins that goes on at a start. A
// day may be shorter than its key says.
func (e eventRow) after(start time.Time) time.Time {
	room := time.Second
	if e.doc.Start.allDay() {
		room = 25 * time.Hour
	}
	return start.Add(e.length() - room)
}

// in reports whether an event overlaps the window: it ends after its beginning
// and begins before its end.
func (e eventRow) in(w span) bool {
	return (w.from.IsZero() || e.ends.After(w.from)) && (w.to.IsZero() || e.starts.Before(w.to))
}

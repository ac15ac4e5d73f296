package event

import (
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/calendar/recurrence"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// Length is how long one instance lasts, in the count of its keys.
func (e *Event) Length() time.Duration { return e.End.Key().Sub(e.Start.Key()) }

func (e *Event) seriesStart() recurrence.Start {
	return recurrence.Start{At: e.Start.Key(), AllDay: e.Start.AllDay(), Zone: e.Start.Zone()}
}

// NewSeries reads and checks the recurrence that a client sent.
func (e *Event) NewSeries() (*recurrence.Series, error) {
	s, err := recurrence.Parse(e.Recurrence, e.seriesStart())
	if err != nil {
		return nil, refusal.Invalid("recurrence", "Invalid recurrence rule: %s",
			strings.TrimPrefix(err.Error(), recurrence.ErrRule.Error()+": "))
	}
	return s, nil
}

// Series reads a stored recurrence; it was checked when it was stored.
func (e *Event) Series() (*recurrence.Series, error) {
	return recurrence.Stored(e.Recurrence, e.seriesStart())
}

// instanceForm is how an instance's start stands in its id.
const instanceForm = "20060102T150405Z"

// InstanceID names the instance of the series with an id that begins at a key.
func (e *Event) InstanceID(id string, key time.Time) string {
	if e.Start.AllDay() {
		return id + "_" + key.UTC().Format("20060102")
	}
	return id + "_" + key.UTC().Format(instanceForm)
}

// SplitInstanceID takes an instance's id apart.
func SplitInstanceID(id string) (series string, key time.Time, ok bool) {
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

// Instance is the series with an id as it is at one key, written in the zones of
// its start and end.
func (e *Event) Instance(id string, key time.Time, start, end *time.Location) Event {
	out := *e
	out.Recurrence, out.RecurringEventID = nil, id
	out.Start, out.OriginalStartTime = e.Start.At(key, start), e.Start.At(key, start)
	out.End = e.End.At(key.Add(e.Length()), end)
	return out
}

package freebusy_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/calendar/freebusy"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	const from, to = "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"
	large := freebusy.MaxCalendars + 1
	for name, row := range map[string]struct {
		in freebusy.Request
		ok bool
	}{
		"a day":          {freebusy.Request{TimeMin: from, TimeMax: to, TimeZone: "Europe/Paris"}, true},
		"no end":         {freebusy.Request{TimeMin: from}, false},
		"backwards":      {freebusy.Request{TimeMin: to, TimeMax: from}, false},
		"a long time":    {freebusy.Request{TimeMin: from, TimeMax: "2046-03-01T00:00:00Z"}, false},
		"no such zone":   {freebusy.Request{TimeMin: from, TimeMax: to, TimeZone: "Mars"}, false},
		"too many asked": {freebusy.Request{TimeMin: from, TimeMax: to, CalendarExpansionMax: &large}, false},
	} {
		if q, err := row.in.Query(); (err == nil) != row.ok || row.ok && q.Expanded != freebusy.MaxCalendars {
			t.Errorf("%s: %+v %v", name, q, err)
		}
	}
}

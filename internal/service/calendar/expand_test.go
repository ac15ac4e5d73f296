package calendar_test

import (
	"fmt"
	"strings"
	"testing"
)

// hours is BYHOUR with every hour.
func hours() string {
	var all []string
	for h := range 24 {
		all = append(all, fmt.Sprint(h))
	}
	return strings.Join(all, ",")
}

// TestExpandingIsBounded: a request may spend a number of steps on all series together, however many small events a
// user has made of them, and is refused beyond it. A window that holds little costs little.
func TestExpandingIsBounded(t *testing.T) {
	on(t, func(t *testing.T, ada *client) {
		start, end := object{"dateTime": "1900-01-01T00:00:00Z"}, object{"dateTime": "1900-01-01T00:30:00Z"}
		rare := "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=" + hours()
		ada.refused(t, 400, "invalid", "POST", "/calendars/primary/events", object{
			"start": start, "end": end, "recurrence": []string{rare, "EXRULE:FREQ=HOURLY", "EXRULE:FREQ=HOURLY"},
		})
		for i := range 60 {
			ada.insert(t, object{
				"summary": fmt.Sprint("bomb ", i), "start": object{"dateTime": "2026-01-01T00:00:00Z"},
				"end":        object{"dateTime": "2026-01-01T00:30:00Z"},
				"recurrence": []string{rare, "RRULE:FREQ=HOURLY", "RRULE:FREQ=HOURLY;INTERVAL=5", "EXRULE:FREQ=HOURLY"},
			})
		}
		window := []string{"timeMin", "2026-01-01T00:00:00Z", "timeMax", "2030-01-01T00:00:00Z"}
		ada.refused(t, 403, "quotaExceeded", "GET",
			"/calendars/primary/events?singleEvents=true&timeMin="+window[1]+"&timeMax="+window[3], nil)
		ada.refused(t, 403, "quotaExceeded", "POST", "/freeBusy", object{
			"timeMin": window[1], "timeMax": window[3], "items": []object{{"id": "primary"}},
		})
		small, _ := ada.events(t, "singleEvents", "true", "timeMin", "2026-03-01T00:00:00Z", "timeMax",
			"2026-03-01T06:00:00Z")
		expect(t, "instances left by the EXRULE", len(small), 0)
	})
}

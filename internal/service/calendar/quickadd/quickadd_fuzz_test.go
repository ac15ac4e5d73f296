package quickadd

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// TestNextFullHour: the hour is that of the zone.
func TestNextFullHour(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("Asia/Kolkata", 5*3600+1800)
	e := Parse("Lunch", time.Date(2026, 3, 28, 10, 10, 0, 0, zone), zone)
	if e.Start.DateTime != "2026-03-28T11:00:00+05:30" || e.End.DateTime != "2026-03-28T12:00:00+05:30" {
		t.Errorf("from %v to %v, want 11 to 12", e.Start, e.End)
	}
}

// TestDayWithoutMidnight: where a clock change skips midnight, times of that day are still those that were written.
func TestDayWithoutMidnight(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Africa/Cairo")
	if err != nil {
		t.Fatal(err)
	}
	e := Parse("Dinner on 2026-04-24 at 19:00", time.Date(2026, 4, 1, 9, 0, 0, 0, zone), zone)
	if e.Start.DateTime != "2026-04-24T19:00:00+03:00" || e.End.DateTime != "2026-04-24T20:00:00+03:00" {
		t.Errorf("from %v to %v, want 19 to 20", e.Start, e.End)
	}
}

// FuzzQuickAdd: whatever is typed becomes an event with an end after its start.
func FuzzQuickAdd(f *testing.F) {
	fuzztest.Strings(f, "Lunch tomorrow 12:30-13:45", "today", "99:99", "monday 25am", strings.Repeat("9", 400),
		"\x00 at 3pm", "10-9pm x")
	now := time.Date(2026, 3, 28, 23, 59, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		e := Parse(text, now, time.UTC)
		if e.Start == nil || e.End == nil || e.End.Key().Before(e.Start.Key()) {
			t.Errorf("%q: from %v to %v", text, e.Start, e.End)
		}
	})
}

package calendar

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/seal"
	"stoa.dev/stoa/internal/platform/world"
)

// FuzzQuickAdd: whatever is typed becomes an event with an end after its start.
func FuzzQuickAdd(f *testing.F) {
	fuzztest.Strings(f, "Lunch tomorrow 12:30-13:45", "today", "99:99", "monday 25am", strings.Repeat("9", 400), "\x00 at 3pm", "10-9pm x")
	now := time.Date(2026, 3, 28, 23, 59, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		e := quickAdd(text, now, time.UTC)
		if e.Start == nil || e.End == nil || !e.Start.key().Before(e.End.key()) && e.Start.key() != e.End.key() {
			t.Errorf("%q: from %v to %v", text, e.Start, e.End)
		}
	})
}

// FuzzTimes: what is accepted as a time has an instant within the years that can be stored.
func FuzzTimes(f *testing.F) {
	fuzztest.Add(f, "2026-03-28T09:00:00", "Europe/Berlin", "")
	fuzztest.Add(f, "2026-03-28T09:00:00.123456789+23:59", "", "")
	fuzztest.Add(f, "", "", "9999-12-31")
	fuzztest.Add(f, "0000-01-01T00:00:00Z", "../../etc/passwd", "0000-01-01")
	f.Fuzz(func(t *testing.T, dateTime, zone, date string) {
		got, err := readTime("start", &timeJSON{DateTime: dateTime, TimeZone: zone, Date: date}, time.UTC)
		if err == nil && !inRange(got.instant(time.UTC)) {
			t.Errorf("%q %q %q is accepted as %v", dateTime, zone, date, got.instant(time.UTC))
		}
	})
}

// FuzzInstanceID: an id that is taken apart is put together again.
func FuzzInstanceID(f *testing.F) {
	fuzztest.Strings(f, "abc_20260328T090000Z", "abc_20260328", "_20260328", "a_b_20260230", "x_", strings.Repeat("_", 2000))
	f.Fuzz(func(t *testing.T, id string) {
		series, key, ok := splitInstance(id)
		if ok && (series == "" || !strings.HasPrefix(id, series+"_") || key.IsZero() && !strings.Contains(id, "0001")) {
			t.Errorf("%q: %q %v", id, series, key)
		}
	})
}

// FuzzTokens: a token that this server did not make is refused.
func FuzzTokens(f *testing.F) {
	box, err := seal.Open(f.TempDir(), "", ids.Seeded(1))
	if err != nil {
		f.Fatal(err)
	}
	s := &Service{world: world.Blueprint(world.Options{}), config: DefaultConfig(), tokens: page.NewSealer(box.Derive("calendar.pages"))}
	own := s.pageToken(listing{bind: "events a"}, cursor{After: 7})
	fuzztest.Add(f, own, "events b")
	fuzztest.Add(f, own[:len(own)-1], "events a")
	fuzztest.Add(f, "", "")
	fuzztest.Add(f, strings.Repeat("A", 5000), "events a")
	f.Fuzz(func(t *testing.T, token, bind string) {
		if token == "" || token == own && bind == "events a" {
			return
		}
		if _, err := s.begin(listing{bind: bind, pageToken: token}); err == nil {
			t.Errorf("page token %q is accepted for %q", token, bind)
		}
		if _, err := s.begin(listing{bind: bind, syncToken: token}); err == nil {
			t.Errorf("sync token %q is accepted for %q", token, bind)
		}
	})
}

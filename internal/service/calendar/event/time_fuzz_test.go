package event

import (
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// FuzzTimes: what is accepted as a time has an instant within the years that can
// be stored.
func FuzzTimes(f *testing.F) {
	fuzztest.Add(f, "2026-03-28T09:00:00", "Europe/Berlin", "")
	fuzztest.Add(f, "2026-03-28T09:00:00.123456789+23:59", "", "")
	fuzztest.Add(f, "", "", "9999-12-31")
	fuzztest.Add(f, "0000-01-01T00:00:00Z", "../../etc/passwd", "0000-01-01")
	f.Fuzz(func(t *testing.T, dateTime, zone, date string) {
		got, err := readTime("start", &Time{DateTime: dateTime, TimeZone: zone, Date: date}, time.UTC)
		if err == nil && !inRange(got.Instant(time.UTC)) {
			t.Errorf("%q %q %q is accepted as %v", dateTime, zone, date, got.Instant(time.UTC))
		}
	})
}

// FuzzInstanceID: an id that is taken apart is put together again.
func FuzzInstanceID(f *testing.F) {
	fuzztest.Strings(f, "abc_20260328T090000Z", "abc_20260328", "_20260328", "a_b_20260230", "x_",
		strings.Repeat("_", 2000))
	f.Fuzz(func(t *testing.T, id string) {
		series, key, ok := SplitInstanceID(id)
		if ok && (series == "" || !strings.HasPrefix(id, series+"_") || key.IsZero() && !strings.Contains(id, "0001")) {
			t.Errorf("%q: %q %v", id, series, key)
		}
	})
}

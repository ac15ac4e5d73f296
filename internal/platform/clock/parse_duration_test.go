package clock_test

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90m": 90 * time.Minute, "1h30m": 90 * time.Minute, "7d": 7 * 24 * time.Hour,
		"1d2h": 26 * time.Hour, "0.5d": 12 * time.Hour, "": -1, "d": -1, "x": -1, "1e300d": -1, "7dd": -1,
	} {
		got, err := clock.ParseDuration(text)
		if (err != nil) != (want < 0) || (err == nil && got != want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, text := range []string{"90m", "7d", "1d2h", "-1d", "NaNd", "1e300d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := clock.ParseDuration(text); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}

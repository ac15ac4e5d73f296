package cron_test

import (
	"slices"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/jobs/cron"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	t.Parallel()
	const layout = "2006-01-02 15:04"
	for text, want := range map[string][]string{
		"@hourly":      {"2026-03-01 13:00", "2026-03-01 14:00"},
		"@daily":       {"2026-03-02 00:00", "2026-03-03 00:00"},
		"@weekly":      {"2026-03-08 00:00", "2026-03-15 00:00"},
		"@monthly":     {"2026-04-01 00:00", "2026-05-01 00:00"},
		"@every 90m":   {"2026-03-01 13:30", "2026-03-01 15:00"},
		"*/15 * * * *": {"2026-03-01 12:15", "2026-03-01 12:30", "2026-03-01 12:45", "2026-03-01 13:00"},
		"30 3 * * 1-5": {"2026-03-02 03:30", "2026-03-03 03:30", "2026-03-04 03:30", "2026-03-05 03:30", "2026-03-06 03:30",
			"2026-03-09 03:30"},
		"0 0 29 2 *":     {"2028-02-29 00:00", "2032-02-29 00:00"},
		"5,10 6/9 1 * *": {"2026-03-01 15:05", "2026-03-01 15:10", "2026-04-01 06:05"},
		"0 12 13 * 5":    {"2026-03-06 12:00", "2026-03-13 12:00"},
		"0 0 31 * 7": {"2026-03-08 00:00", "2026-03-15 00:00", "2026-03-22 00:00", "2026-03-29 00:00",
			"2026-03-31 00:00"},
	} {
		s, err := cron.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for at := epoch; len(got) < len(want); {
			at = s.Next(at)
			got = append(got, at.Format(layout))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: fires at %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{
		"", "@every", "@every 1ms", "@every -1h", "@yearly", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *",
		"* * * * 8", "a * * * *", "*/0 * * * *", "5-1 * * * *", "1-x * * * *", "0 0 30 2 *",
	} {
		if _, err := cron.Parse(text); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}

// An interval keeps its beat however late it is.
func TestNextAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec string
		late time.Duration // of now, after the last firing
		want time.Duration // after the last firing
	}{
		{"@every 7h", 0, 7 * time.Hour},
		{"@every 7h", time.Hour, 7 * time.Hour},
		{"@every 7h", 7 * time.Hour, 14 * time.Hour},
		{"@every 7h", 20 * time.Hour, 21 * time.Hour},
		{"@every 7h", -time.Hour, 7 * time.Hour},
		{"@hourly", 150 * time.Minute, 3 * time.Hour},
	} {
		s, err := cron.Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.NextAfter(epoch, epoch.Add(c.late)).Sub(epoch); got != c.want {
			t.Errorf("%s, %s late: next after %s, want %s", c.spec, c.late, got, c.want)
		}
	}
}

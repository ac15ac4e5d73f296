package analytics

import (
	"testing"
	"time"
)

func TestFrequencyNext(t *testing.T) {
	t.Parallel()
	day := func(text string) time.Time {
		t.Helper()
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for name, row := range map[string]struct {
		Frequency
		now, want string
	}{
		"the next monday": {
			Frequency{Frequency: weekly, Interval: 1, Positions: []int{1}}, "2026-03-04", "2026-03-09",
		},
		"not before the twelfth week": {
			Frequency{Frequency: weekly, Interval: 12, Positions: []int{1}}, "2026-03-04", "2026-05-25",
		},
		"the 31st of a long month": {
			Frequency{Frequency: monthly, Interval: 1, Positions: []int{31}}, "2026-04-01", "2026-05-31",
		},
		"the next leap year": {
			Frequency{Frequency: monthly, Interval: 12, Positions: []int{29}}, "2029-02-07", "2032-02-29",
		},
		"after a century without one": {
			Frequency{Frequency: monthly, Interval: 12, Positions: []int{29}}, "2097-02-07", "2104-02-29",
		},
		"a day that never comes": {
			Frequency{Frequency: monthly, Interval: 12, Positions: []int{31}}, "2026-04-04", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.Time, row.Enable = "00:00", true
			now, want := day(row.now), time.Time{}
			if row.want != "" {
				want = day(row.want)
			}
			if got := row.next(now, now); !got.Equal(want) {
				t.Errorf("next after %s = %s, want %s", now, got, want)
			}
		})
	}
}

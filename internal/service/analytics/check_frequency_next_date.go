package analytics

import (
	"slices"
	"time"

	"stoa.dev/stoa/internal/service/analytics/locations"
)

const (
	weekly  = "WEEKLY"
	monthly = "MONTHLY"
	// maxInterval is how many weeks or months may lie between reports.
	maxInterval = 12
)

// completeAndCheck fills in what may be left out and refuses what makes no sense.
func (f *Frequency) completeAndCheck() error {
	if f.Interval == 0 {
		f.Interval = 1
	}
	if f.Time == "" {
		f.Time = "00:00"
	}
	if len(f.Positions) == 0 {
		f.Positions = []int{1}
	}
	last := 7
	switch f.Frequency {
	case weekly:
	case monthly:
		last = 31
	default:
		return errInvalidField("collectingFrequency.frequency", "must be WEEKLY or MONTHLY")
	}
	for i, p := range f.Positions {
		if p < 1 || p > last || slices.Index(f.Positions, p) != i {
			return errInvalidField(
				"collectingFrequency.positions",
				"must be days of the week (1 to 7) or of the month (1 to 31), each once",
			)
		}
	}
	if f.Interval < 1 || f.Interval > maxInterval {
		return errInvalidField("collectingFrequency.interval", "must be 1 to 12")
	}
	if _, ok := locations.Minutes(f.Time); !ok {
		return errInvalidField("collectingFrequency.time", "must be HH:mm between 00:00 and 23:59")
	}
	return nil
}

// next is the first moment after now that the schedule names, counting weeks and
// months from the start; zero when there is none.
func (f *Frequency) next(start, now time.Time) time.Time {
	if f == nil || !f.Enable {
		return time.Time{}
	}
	at, _ := locations.Minutes(f.Time) // checked when it was stored
	day := now.Truncate(24 * time.Hour)
	// Eight years hold every day there can be, the 29th of each twelfth February too.
	for range 8 * 366 {
		moment := day.Add(time.Duration(at) * time.Minute)
		if moment.After(now) && f.includesDay(start, day) {
			return moment
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}
}

// includesDay reports whether reports are collected on this day.
func (f *Frequency) includesDay(start, day time.Time) bool {
	if f.Frequency == monthly {
		months := (day.Year()-start.Year())*12 + int(day.Month()-start.Month())
		return months%f.Interval == 0 && slices.Contains(f.Positions, day.Day())
	}
	weekday := (int(day.Weekday())+6)%7 + 1
	return (week(day)-week(start))%f.Interval == 0 && slices.Contains(f.Positions, weekday)
}

// week numbers weeks from Monday to Sunday since 1970; the first of January of
// that year was a Thursday.
func week(t time.Time) int { return int((t.Unix()/86400 + 3) / 7) }

package cron

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Spec is a parsed timetable: an interval, or the five fields of cron.
type Spec struct {
	every                          time.Duration
	minute, hour, day, month, week uint64 // bit sets of allowed values
	anyDay, anyWeek                bool   // the field was "*"
}

// minEvery keeps a typing mistake from filling the queue.
const minEvery = time.Second

// Parse reads a timetable. One that never fires is refused.
func Parse(text string) (Spec, error) {
	if d, ok := strings.CutPrefix(text, "@every "); ok {
		every, err := time.ParseDuration(strings.TrimSpace(d))
		if err != nil || every < minEvery {
			return Spec{}, fmt.Errorf("spec %q: want @every and a duration of at least %s", text, minEvery)
		}
		return Spec{every: every.Truncate(time.Microsecond)}, nil
	}
	switch text {
	case "@hourly":
		text = "0 * * * *"
	case "@daily":
		text = "0 0 * * *"
	case "@weekly":
		text = "0 0 * * 0"
	case "@monthly":
		text = "0 0 1 * *"
	}
	return parseCron(text)
}

func parseCron(text string) (s Spec, err error) {
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return Spec{}, fmt.Errorf("spec %q: want @every DURATION or five fields: minute hour day month weekday", text)
	}
	for i, f := range []struct {
		set      *uint64
		min, max int
	}{{&s.minute, 0, 59}, {&s.hour, 0, 23}, {&s.day, 1, 31}, {&s.month, 1, 12}, {&s.week, 0, 7}} {
		if *f.set, err = parseField(fields[i], f.min, f.max); err != nil {
			return Spec{}, fmt.Errorf("spec %q: %w", text, err)
		}
	}
	if s.week&(1<<7) != 0 {
		s.week |= 1 // both 0 and 7 are Sunday
	}
	s.anyDay, s.anyWeek = fields[2] == "*", fields[4] == "*"
	if s.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Spec{}, fmt.Errorf("spec %q: there is no such day", text)
	}
	return s, nil
}

// parseField reads a list of "*", "a", "a-b", each with an optional "/step".
func parseField(field string, lowest, highest int) (set uint64, err error) {
	for _, part := range strings.Split(field, ",") {
		span, stepText, stepped := strings.Cut(part, "/")
		first, last, step := lowest, highest, 1
		if span != "*" {
			from, to, ranged := strings.Cut(span, "-")
			if first, err = strconv.Atoi(from); err != nil {
				return 0, fmt.Errorf("%q is not a number", from)
			}
			switch {
			case ranged:
				if last, err = strconv.Atoi(to); err != nil {
					return 0, fmt.Errorf("%q is not a number", to)
				}
			case !stepped:
				last = first
			}
		}
		if stepped {
			if step, err = strconv.Atoi(stepText); err != nil || step < 1 {
				return 0, fmt.Errorf("%q is not a step", stepText)
			}
		}
		if first < lowest || last > highest || first > last {
			return 0, fmt.Errorf("%q is outside of %d-%d", part, lowest, highest)
		}
		for v := first; v <= last; v += step {
			set |= 1 << v
		}
	}
	return set, nil
}

// Next is the first firing later than t.
func (s Spec) Next(t time.Time) time.Time {
	if s.every > 0 {
		return t.Add(s.every)
	}
	t = t.UTC().Truncate(time.Minute).Add(time.Minute)
	// Every combination of date and weekday comes back within 28 years, except
	// over a turn of the century without leap day.
	for limit := t.Year() + 40; t.Year() <= limit; {
		switch {
		case s.month&(1<<t.Month()) == 0:
			t = time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		case !s.onDay(t):
			t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, time.UTC)
		case s.hour&(1<<t.Hour()) == 0:
			t = t.Truncate(time.Hour).Add(time.Hour)
		case s.minute>>t.Minute() == 0:
			t = t.Truncate(time.Hour).Add(time.Hour)
		default:
			return t.Add(time.Duration(bits.TrailingZeros64(s.minute>>t.Minute())) * time.Minute)
		}
	}
	return time.Time{} // Parse refuses such a timetable
}

// onDay is cron's rule: when both day and weekday are given, either will do.
func (s Spec) onDay(t time.Time) bool {
	day, week := s.day&(1<<t.Day()) != 0, s.week&(1<<t.Weekday()) != 0
	if s.anyDay || s.anyWeek {
		return day && week
	}
	return day || week
}

// NextAfter is the first firing after now of a timetable that last fired at
// last: an interval keeps its beat however late it is.
func (s Spec) NextAfter(last, now time.Time) time.Time {
	if s.every > 0 {
		if behind := now.Sub(last); behind >= 0 {
			return last.Add(behind - behind%s.every + s.every)
		}
		return last.Add(s.every)
	}
	return s.Next(now)
}

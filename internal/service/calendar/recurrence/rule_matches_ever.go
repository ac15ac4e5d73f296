package recurrence

import (
	"slices"
	"time"

	"github.com/teambition/rrule-go"
)

// perDay is how many instances a day of the rule has at most.
func perDay(o rrule.ROption) int {
	hours := max(1, len(o.Byhour))
	if o.Freq == rrule.HOURLY && len(o.Byhour) == 0 {
		hours = 24
	}
	return hours * max(1, len(o.Byminute)) * max(1, len(o.Bysecond))
}

// happens reports whether a rule matches at all. The library searches until the year 9999 for one that does not, and
// for ever where the hours go round without meeting BYHOUR; so what can be seen at once is checked first.
func happens(o rrule.ROption) bool {
	if o.Freq == rrule.HOURLY && !meetsHour(o) {
		return false
	}
	limit := perDay(o) * daysOf(o.Freq)
	if o.Freq == rrule.HOURLY {
		limit = max(1, len(o.Byminute)) * max(1, len(o.Bysecond))
	}
	if slices.ContainsFunc(o.Bysetpos, func(at int) bool { return at > limit || -at > limit }) {
		return false
	}
	if o.Freq >= rrule.WEEKLY && len(o.Bymonthday)+len(o.Byyearday)+len(o.Byweekno)+len(o.Byweekday) > 0 &&
		!hasFirst(yearly(o)) {
		return false
	}
	o.Count, o.Until = 1, time.Time{}
	return hasFirst(o)
}

// meetsHour reports whether steps of INTERVAL hours from the start ever come to an hour of BYHOUR.
func meetsHour(o rrule.ROption) bool {
	hour := o.Dtstart.Hour()
	for range 24 {
		if len(o.Byhour) == 0 || slices.Contains(o.Byhour, hour) {
			return true
		}
		hour = (hour + max(1, o.Interval)) % 24
	}
	return false
}

// daysOf is how many days one step of a rule spans at most.
func daysOf(f rrule.Frequency) int {
	switch f {
	case rrule.YEARLY:
		return 366
	case rrule.MONTHLY:
		return 31
	case rrule.WEEKLY:
		return 7
	default:
		return 1
	}
}

// yearly is a rule that has every day on which the other may fall, and takes a year at a step.
func yearly(o rrule.ROption) rrule.ROption {
	days := rrule.ROption{
		Freq: rrule.YEARLY, Count: 1, Dtstart: o.Dtstart.Truncate(day), Wkst: o.Wkst,
		Bymonth: o.Bymonth, Bymonthday: o.Bymonthday, Byyearday: o.Byyearday, Byweekno: o.Byweekno,
	}
	for _, w := range o.Byweekday {
		days.Byweekday = append(days.Byweekday,
			[]rrule.Weekday{rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA, rrule.SU}[w.Day()])
	}
	return days
}

// hasFirst reports whether the rule has a first instance within the years that are looked at.
func hasFirst(o rrule.ROption) bool {
	rule, err := rrule.NewRRule(o)
	if err != nil {
		return false
	}
	first, ok := rule.Iterator()()
	return ok && first.Before(o.Dtstart.AddDate(maxYears, 0, 0))
}

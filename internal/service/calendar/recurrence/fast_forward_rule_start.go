package recurrence

import (
	"time"

	"github.com/teambition/rrule-go"
)

// marginPeriods is how many periods before the window a walk begins: weeks and years are cut where the rule says, not
// where the window does.
const marginPeriods = 2

// advance moves the beginning of a rule towards windowStart by whole multiples of its interval, so that all instances
// from there on stay the same. A rule with COUNT is counted from its start and stays.
func advance(o rrule.ROption, windowStart time.Time) rrule.ROption {
	if o.Count > 0 || !o.Dtstart.Before(windowStart) {
		return o
	}
	interval := max(1, o.Interval)
	start := o.Dtstart
	switch o.Freq {
	case rrule.HOURLY:
		o.Dtstart = start.Add(skip(start, windowStart, interval, time.Hour))
	case rrule.DAILY:
		o.Dtstart = start.Add(skip(start, windowStart, interval, day))
	case rrule.WEEKLY:
		o.Dtstart = start.Add(skip(start, windowStart, interval, 7*day))
	case rrule.MONTHLY:
		months := 12*(windowStart.Year()-start.Year()) + int(windowStart.Month()-start.Month()) - marginPeriods
		if months -= months % interval; months > 0 {
			o = keepDay(o)
			o.Dtstart = firstDay(start, start.Year(), start.Month()+time.Month(months))
		}
	case rrule.YEARLY:
		years := windowStart.Year() - start.Year() - marginPeriods
		if years -= years % interval; years > 0 {
			o = keepDay(o)
			o.Dtstart = firstDay(start, start.Year()+years, time.January)
		}
	default: // shorter ones are refused
	}
	return o
}

// skip is the longest multiple of interval units that ends well before windowStart.
func skip(start, windowStart time.Time, interval int, unit time.Duration) time.Duration {
	units := int64(windowStart.Sub(start)/unit) - marginPeriods
	if units -= units % int64(interval); units <= 0 {
		return 0
	}
	return time.Duration(units) * unit
}

// firstDay is the first day of a month at the start's time of day.
func firstDay(start time.Time, year int, month time.Month) time.Time {
	return time.Date(year, month, 1, start.Hour(), start.Minute(), start.Second(), 0, start.Location())
}

// keepDay writes down the day that a rule has from its start alone.
func keepDay(o rrule.ROption) rrule.ROption {
	if len(o.Byweekno)+len(o.Byyearday)+len(o.Bymonthday)+len(o.Byweekday)+len(o.Byeaster) > 0 {
		return o
	}
	if o.Freq == rrule.YEARLY && len(o.Bymonth) == 0 {
		o.Bymonth = []int{int(o.Dtstart.Month())}
	}
	o.Bymonthday = []int{o.Dtstart.Day()}
	return o
}

// periods is how many steps a rule takes in a time: one for each hour, day or week that it looks at, and for months
// and years as much as their days weigh beside those.
func periods(o rrule.ROption, d time.Duration) int64 {
	unit, weight := day, int64(1)
	switch o.Freq {
	case rrule.YEARLY:
		unit, weight = 365*day, 24
	case rrule.MONTHLY:
		unit, weight = 30*day, 2
	case rrule.WEEKLY:
		unit = 7 * day
	case rrule.HOURLY:
		unit = time.Hour
	default: // a day
	}
	return int64(d/unit) / int64(max(1, o.Interval)) * weight
}

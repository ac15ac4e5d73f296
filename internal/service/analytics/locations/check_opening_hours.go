package locations

import (
	"slices"
	"time"
)

// wholeDay is the number of minutes of a day.
const wholeDay = 24 * 60

// Minutes reads HH:mm, from 00:00 to 23:59, as minutes since midnight.
func Minutes(text string) (int, bool) {
	// An hour of one digit would be read as well.
	at, err := time.Parse("15:04", text)
	return at.Hour()*60 + at.Minute(), err == nil && len(text) == len("15:04")
}

// span is a range in minutes since the day's midnight; end may lie in the next
// day.
type span struct{ start, end int }

func (r TimeRange) span() (span, bool) {
	from, okFrom := Minutes(r.From)
	to, okTo := Minutes(r.To)
	if !okFrom || !okTo || from == to && from != 0 {
		return span{}, false
	}
	if to <= from {
		to += wholeDay
	}
	return span{from, to}, true
}

// overlaps reports whether any two ranges share a minute.
func overlaps(spans []span) bool {
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			return true
		}
	}
	return false
}

// times checks the ranges of one day.
func (c *checker) times(ranges []TimeRange, limit int, report func(code DetailCode, message string)) {
	if len(ranges) > limit {
		report(TimesTooMany, "there are more ranges than a day may have")
		return
	}
	spans := make([]span, 0, maxHolidayTimes)
	for _, r := range ranges {
		s, ok := r.span()
		if !ok {
			report(TimeFormatInvalid,
				"a range is from HH:mm to HH:mm between 00:00 and 23:59, and only a whole day starts when it ends")
			return
		}
		spans = append(spans, s)
	}
	if overlaps(spans) {
		report(TimesOverlap, "the ranges of a day must not overlap")
	}
}

func (c *checker) week(h *WeekHours) {
	if h == nil {
		return
	}
	for _, day := range h.days() {
		c.times(*day.times, maxDayRanges, func(code DetailCode, message string) {
			c.bad(code, "businessHours."+day.name, message)
		})
	}
}

func (c *checker) holidays(l *Location) {
	if len(l.HolidayHours) == 0 {
		return
	}
	if l.BusinessHours == nil {
		c.bad(BusinessHoursRequired, "businessHours", "holidayHours need businessHours")
	}
	if len(l.HolidayHours) > maxHolidays {
		c.bad(HolidaysTooMany, "holidayHours", "holidayHours must be at most 30")
		return
	}
	seen := map[string]bool{}
	for i, h := range l.HolidayHours {
		c.holiday(h, i)
		if seen[h.Day] {
			c.badAt(DayNotUnique, "holidayHours.day", i, "the day "+h.Day+" is there already")
		}
		seen[h.Day] = true
	}
}

func (c *checker) holiday(h HolidayHour, i int) {
	if _, err := time.Parse(time.DateOnly, h.Day); err != nil {
		c.badAt(DayInvalid, "holidayHours.day", i, "a day is written YYYY-MM-DD")
	}
	const field = "holidayHours.times"
	switch h.Type {
	case HolidayRange:
		if len(h.Times) == 0 {
			c.badAt(TimesRequired, field, i, "a RANGE needs times")
		}
		c.times(h.Times, maxHolidayTimes, func(code DetailCode, message string) { c.badAt(code, field, i, message) })
	case HolidayRegular, HolidayClosed, HolidayAllDay:
		if len(h.Times) > 0 {
			c.badAt(TimesNotAllowed, field, i, "only a RANGE has times")
		}
	default:
		c.badAt(TypeUnknown, "holidayHours.type", i, "the type is REGULAR, CLOSED, OPENED_ALL_DAY or RANGE")
	}
}

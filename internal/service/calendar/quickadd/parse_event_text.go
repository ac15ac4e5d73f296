package quickadd

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/calendar/event"
)

// Words that say when, in the order they are looked for. What they match is
// taken out of the title.
var (
	dateWords    = regexp.MustCompile(`(?i)\b(?:on )?(\d{4}-\d{2}-\d{2})\b`)
	nearWords    = regexp.MustCompile(`(?i)\b(today|tomorrow)\b`)
	weekdayWords = regexp.MustCompile(
		`(?i)\b(?:on |next )?(sunday|monday|tuesday|wednesday|thursday|friday|saturday)\b`,
	)
	rangeWords = regexp.MustCompile(
		`(?i)\b(?:at |from )?(\d{1,2})(?::(\d{2}))? ?(am|pm)? ?(?:-|–|to|until) ?(\d{1,2})(?::(\d{2}))? ?(am|pm)?\b`,
	)
	timeWords = regexp.MustCompile(
		`(?i)\b(?:at )?(\d{1,2}):(\d{2}) ?(am|pm)?\b|\b(?:at )?(\d{1,2}) ?(am|pm)\b|\bat (\d{1,2})\b`,
	)
	lengthWords = regexp.MustCompile(`(?i)\bfor (\d{1,3}) ?(m|min|minutes?|h|hours?)\b`)
)

// Parse reads a sentence. A day without a time is a whole day; neither is the
// next full hour.
func Parse(text string, now time.Time, zone *time.Location) event.Event {
	now = now.In(zone)
	day, hasDay, text := takeDay(text, now)
	from, to, hasTime, text := takeTimes(text)
	doc := event.Event{Summary: strings.Join(strings.Fields(text), " ")}
	switch {
	case hasTime:
		doc.Start, doc.End = clockTime(day, from, zone), clockTime(day, to, zone)
	case hasDay:
		doc.Start = &event.Time{Date: day.Format(event.DateForm)}
		doc.End = &event.Time{Date: day.AddDate(0, 0, 1).Format(event.DateForm)}
	default:
		// By the clock of the zone, which may be half an hour beside that of others.
		start := time.Date(now.Year(), now.Month(), now.Day(), now.Hour()+1, 0, 0, 0, zone)
		doc.Start, doc.End = eventTime(start), eventTime(start.Add(time.Hour))
	}
	return doc
}

// clockTime is so many minutes into a day by the clock on the wall, also on days that are longer or shorter or have
// no midnight.
func clockTime(day time.Time, minutes int, zone *time.Location) *event.Time {
	return eventTime(time.Date(day.Year(), day.Month(), day.Day(), 0, minutes, 0, 0, zone))
}

func eventTime(at time.Time) *event.Time {
	return &event.Time{DateTime: at.Format(time.RFC3339), TimeZone: at.Location().String()}
}

// takeDay finds the day and removes its words.
func takeDay(text string, now time.Time) (day time.Time, found bool, rest string) {
	if m := dateWords.FindStringSubmatchIndex(text); m != nil {
		if d, err := time.Parse(event.DateForm, text[m[2]:m[3]]); err == nil {
			return d, true, text[:m[0]] + text[m[1]:]
		}
	}
	if m := nearWords.FindStringSubmatchIndex(text); m != nil {
		if strings.EqualFold(text[m[2]:m[3]], "tomorrow") {
			now = now.AddDate(0, 0, 1)
		}
		return now, true, text[:m[0]] + text[m[1]:]
	}
	if m := weekdayWords.FindStringSubmatchIndex(text); m != nil {
		for d := 1; d <= 7; d++ {
			if next := now.AddDate(0, 0, d); strings.EqualFold(next.Weekday().String(), text[m[2]:m[3]]) {
				return next, true, text[:m[0]] + text[m[1]:]
			}
		}
	}
	return now, false, text
}

// takeTimes finds the times, in minutes of the day, and removes their words.
func takeTimes(text string) (from, to int, found bool, rest string) {
	length := 60
	if m := lengthWords.FindStringSubmatchIndex(text); m != nil {
		length, _ = strconv.Atoi(text[m[2]:m[3]])
		if unit := strings.ToLower(text[m[4]:m[5]]); unit[0] == 'h' {
			length *= 60
		}
		text = text[:m[0]] + text[m[1]:]
	}
	if m := rangeWords.FindStringSubmatch(text); m != nil {
		to, also := minutesOf(m[4], m[5], m[6])
		from, ok := rangeStart(m[1], m[2], m[3], m[6], to)
		if ok && also && (m[3] != "" || m[6] != "" || m[2] != "" || m[5] != "") {
			if to <= from {
				to += 24 * 60
			}
			return from, to, true, strings.Replace(text, m[0], "", 1)
		}
	}
	if m := timeWords.FindStringSubmatch(text); m != nil {
		hour, minute, half := m[1]+m[4]+m[6], m[2], m[3]+m[5]
		if at, ok := minutesOf(hour, minute, half); ok {
			return at, at + length, true, strings.Replace(text, m[0], "", 1)
		}
	}
	return 0, 0, false, text
}

// rangeStart is where a range begins. Without a half of the day of its own it has that of the range's end, or the
// other one where it would begin after the end: 11-1pm begins in the morning.
func rangeStart(hour, minute, half, endHalf string, to int) (int, bool) {
	if half != "" {
		return minutesOf(hour, minute, half)
	}
	from, ok := minutesOf(hour, minute, endHalf)
	if ok && endHalf != "" && from > to {
		from = (from + 12*60) % (24 * 60)
	}
	return from, ok
}

// minutesOf is a time of day in minutes; false when there is no such time.
func minutesOf(hour, minute, half string) (int, bool) {
	h, err := strconv.Atoi(hour)
	if err != nil {
		return 0, false
	}
	m := 0
	if minute != "" {
		if m, err = strconv.Atoi(minute); err != nil {
			return 0, false
		}
	}
	switch strings.ToLower(half) {
	case "am", "pm":
		if h < 1 || h > 12 {
			return 0, false
		}
		h %= 12
		if strings.EqualFold(half, "pm") {
			h += 12
		}
	}
	return h*60 + m, h < 24 && m < 60
}

package event

import (
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/calendar/recurrence"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// DateForm is how a whole day is written.
const DateForm = "2006-01-02"

// readTime checks a start or end and brings it to its stored form: a date, or
// a time with offset and zone.
func readTime(field string, t *Time, calendar *time.Location) (Time, error) {
	switch {
	case t == nil || t.Date == "" && t.DateTime == "":
		return Time{}, refusal.New(refusal.CodeRequired, field, "Missing %s time.", field)
	case t.Date != "" && t.DateTime != "":
		return Time{}, refusal.Invalid(field, "%s has a date or a dateTime, not both", field)
	case t.Date != "":
		if day, err := time.Parse(DateForm, t.Date); err != nil || !inRange(day) {
			return Time{}, refusal.Invalid(field+".date", "%s is not a date as in 2026-01-31", refusal.Clip(t.Date))
		}
		return Time{Date: t.Date}, nil
	}
	zone, name := calendar, calendar.String()
	if t.TimeZone != "" {
		var err error
		if zone, err = recurrence.Zone(t.TimeZone); err != nil {
			return Time{}, refusal.Invalid(field+".timeZone", "Invalid time zone definition for %s time.", field)
		}
		name = t.TimeZone
	}
	at, err := time.Parse(time.RFC3339, strings.ToUpper(t.DateTime))
	if err != nil {
		wall, bad := time.Parse("2006-01-02T15:04:05", t.DateTime)
		if bad != nil {
			return Time{}, refusal.Invalid(field+".dateTime", "%s is not an RFC 3339 time", refusal.Clip(t.DateTime))
		}
		if t.TimeZone == "" {
			return Time{}, refusal.Invalid(field+".timeZone", "Missing time zone definition for %s time.", field)
		}
		at = recurrence.Place(wall, zone)
	}
	if !inRange(at) {
		return Time{}, refusal.Invalid(field+".dateTime", "%s is out of range", refusal.Clip(t.DateTime))
	}
	return Time{DateTime: at.Truncate(time.Second).In(zone).Format(time.RFC3339), TimeZone: name}, nil
}

// inRange reports whether a time can be written in every zone: years have four
// digits.
func inRange(t time.Time) bool {
	const day = 24 * time.Hour
	return t.UTC().Add(-day).Year() >= 1 && t.UTC().Add(day).Year() <= 9999
}

// Instant is when a stored time is; a day begins when it does in the calendar's
// zone.
func (t Time) Instant(calendar *time.Location) time.Time {
	if t.Date != "" {
		day, err := time.Parse(DateForm, t.Date)
		if err != nil {
			return time.Time{} // readTime has parsed it.
		}
		return recurrence.Place(day, calendar).UTC()
	}
	at, err := time.Parse(time.RFC3339, t.DateTime)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// AllDay reports whether it is a date and not a time.
func (t Time) AllDay() bool { return t.Date != "" }

// Key is what instances are counted in: midnight UTC of a date, or the instant.
func (t Time) Key() time.Time { return t.Instant(time.UTC) }

// Zone is where a stored time is written.
func (t Time) Zone() *time.Location {
	zone, err := recurrence.Zone(t.TimeZone)
	if err != nil {
		return time.UTC // Dates have none; readTime has found the others.
	}
	return zone
}

// At is the same kind of time at another key.
func (t Time) At(key time.Time, zone *time.Location) *Time {
	if t.AllDay() {
		return &Time{Date: key.Format(DateForm)}
	}
	return &Time{DateTime: key.In(zone).Format(time.RFC3339), TimeZone: t.TimeZone}
}

// checkTimes brings start and end to their stored form.
func checkTimes(doc *Event, zone *time.Location) error {
	start, err := readTime("start", doc.Start, zone)
	if err != nil {
		return err
	}
	if doc.End == nil && doc.EndTimeUnspecified {
		doc.End = doc.Start
	}
	end, err := readTime("end", doc.End, zone)
	if err != nil {
		return err
	}
	if start.AllDay() != end.AllDay() {
		return refusal.Invalid("end", "start and end must both be dates or both be times")
	}
	from, to := start.Key(), end.Key()
	if to.Before(from) || start.AllDay() && !to.After(from) {
		return refusal.TimeRange("end")
	}
	doc.Start, doc.End = &start, &end
	return nil
}

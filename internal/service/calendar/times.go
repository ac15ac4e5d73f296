package calendar

import (
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/calendar/recurrence"
)

// dateForm is a whole day.
const dateForm = "2006-01-02"

// readTime checks a start or end and brings it to its stored form: a date, or
// a time with offset and zone.
func readTime(field string, t *timeJSON, calendar *time.Location) (timeJSON, error) {
	switch {
	case t == nil || t.Date == "" && t.DateTime == "":
		return timeJSON{}, refuse(CodeRequired, field, "Missing %s time.", field)
	case t.Date != "" && t.DateTime != "":
		return timeJSON{}, errInvalid(field, "%s has a date or a dateTime, not both", field)
	case t.Date != "":
		if day, err := time.Parse(dateForm, t.Date); err != nil || !inRange(day) {
			return timeJSON{}, errInvalid(field+".date", "%s is not a date as in 2026-01-31", clip(t.Date))
		}
		return timeJSON{Date: t.Date}, nil
	}
	zone, name := calendar, calendar.String()
	if t.TimeZone != "" {
		var err error
		if zone, err = recurrence.Zone(t.TimeZone); err != nil {
			return timeJSON{}, errInvalid(field+".timeZone", "Invalid time zone definition for %s time.", field)
		}
		name = t.TimeZone
	}
	at, err := time.Parse(time.RFC3339, strings.ToUpper(t.DateTime))
	if err != nil {
		wall, bad := time.Parse("2006-01-02T15:04:05", t.DateTime)
		if bad != nil {
			return timeJSON{}, errInvalid(field+".dateTime", "%s is not an RFC 3339 time", clip(t.DateTime))
		}
		if t.TimeZone == "" {
			return timeJSON{}, errInvalid(field+".timeZone", "Missing time zone definition for %s time.", field)
		}
		at = recurrence.Place(wall, zone)
	}
	if !inRange(at) {
		return timeJSON{}, errInvalid(field+".dateTime", "%s is out of range", clip(t.DateTime))
	}
	return timeJSON{DateTime: at.Truncate(time.Second).In(zone).Format(time.RFC3339), TimeZone: name}, nil
}

// inRange reports whether a time can be written in every zone: years have four
// digits.
func inRange(t time.Time) bool {
	const day = 24 * time.Hour
	return t.UTC().Add(-day).Year() >= 1 && t.UTC().Add(day).Year() <= 9999
}

// instant is when a stored time is; a day begins when it does in the calendar's
// zone.
func (t timeJSON) instant(calendar *time.Location) time.Time {
	if t.Date != "" {
		day, err := time.Parse(dateForm, t.Date)
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

// allDay tells a date from a time.
func (t timeJSON) allDay() bool { return t.Date != "" }

// key is what instances are counted in: midnight UTC of a date, or the instant.
func (t timeJSON) key() time.Time { return t.instant(time.UTC) }

// zone is where a stored time is written.
func (t timeJSON) zone() *time.Location {
	zone, err := recurrence.Zone(t.TimeZone)
	if err != nil {
		return time.UTC // Dates have none; readTime has found the others.
	}
	return zone
}

// at is the same kind of time at another key.
func (t timeJSON) at(key time.Time, zone *time.Location) *timeJSON {
	if t.allDay() {
		return &timeJSON{Date: key.Format(dateForm)}
	}
	return &timeJSON{DateTime: key.In(zone).Format(time.RFC3339), TimeZone: t.TimeZone}
}

// checkTimes brings start and end to their stored form.
func checkTimes(doc *eventJSON, zone *time.Location) error {
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
	if start.allDay() != end.allDay() {
		return errInvalid("end", "start and end must both be dates or both be times")
	}
	from, to := start.key(), end.key()
	if to.Before(from) || start.allDay() && !to.After(from) {
		return errTimeRange("end")
	}
	doc.Start, doc.End = &start, &end
	return nil
}

package event

import (
	"time"

	"stoa.dev/stoa/internal/service/calendar/recurrence"
)

// DateForm is how a whole day is written.
const DateForm = "2006-01-02"

// Time is EventDateTime: a date, or a time with its zone.
type Time struct {
	Date     string `json:"date,omitempty"`
	DateTime string `json:"dateTime,omitempty"`
	TimeZone string `json:"timeZone,omitempty"`
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

package event

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/service/calendar/palette"
	"stoa.dev/stoa/internal/service/calendar/recurrence"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// IDAlphabet is base32hex in lower case, the alphabet of event ids.
const IDAlphabet = "0123456789abcdefghijklmnopqrstuv"

// Check checks what a client may say about an event on a calendar of the zone,
// brings it to its stored form and drops what only the service says.
func Check(doc *Event, zone *time.Location) error {
	if err := checkTimes(doc, zone); err != nil {
		return err
	}
	if err := checkWords(doc); err != nil {
		return err
	}
	texts := map[string]string{"summary": doc.Summary, "location": doc.Location, "iCalUID": doc.ICalUID}
	if err := CheckTexts(texts, doc.Description); err != nil {
		return err
	}
	if err := checkAttendees(doc); err != nil {
		return err
	}
	if err := checkEventReminders(doc); err != nil {
		return err
	}
	if err := checkProperties(doc.ExtendedProperties); err != nil {
		return err
	}
	if err := checkKeptObjects(doc); err != nil {
		return err
	}
	if len(doc.Attachments) > 25 {
		return refusal.Invalid("attachments", "an event has at most 25 attachments")
	}
	for _, a := range doc.Attachments {
		if a.FileURL == "" {
			return refusal.Required("attachments.fileUrl")
		}
	}
	if doc.Source != nil && !strings.HasPrefix(doc.Source.URL, "http://") &&
		!strings.HasPrefix(doc.Source.URL, "https://") {
		return refusal.Invalid("source.url", "a source is an http or https address")
	}
	doc.Kind, doc.ETag, doc.HTMLLink, doc.Updated, doc.AttendeesOmitted = "", "", "", "", false
	doc.PrivateCopy, doc.Locked = false, false
	return checkSize(doc)
}

// maxSize is how many bytes an event may have, as it is stored. Its members have bounds of their own, which together
// are far more than any client needs, and all instances of a series repeat them.
const maxSize = 128 << 10

func checkSize(doc *Event) error {
	text, err := json.Marshal(doc)
	if err == nil && len(text) > maxSize {
		return refusal.Invalid("event", "an event has %d bytes at most, this one %d", maxSize, len(text))
	}
	return err
}

// Types are the types of events that clients make, the default first.
func Types() []string {
	return []string{"default", "birthday", "focusTime", "outOfOffice", "workingLocation"}
}

// checkWords fills in and checks the members with fixed words.
func checkWords(doc *Event) error {
	for _, member := range []struct {
		name  string
		value *string
		words []string
	}{
		{"status", &doc.Status, []string{"confirmed", "tentative", "cancelled"}},
		{"transparency", &doc.Transparency, []string{"", "opaque", "transparent"}},
		{"visibility", &doc.Visibility, []string{"", "default", "public", "private", "confidential"}},
		{"eventType", &doc.EventType, Types()},
	} {
		if *member.value == "" {
			*member.value = member.words[0]
		}
		if !slices.Contains(member.words, *member.value) {
			return refusal.Invalid(member.name, "Invalid value for: %s is not a valid value", refusal.Clip(*member.value))
		}
	}
	// The defaults are not repeated.
	if doc.Transparency == "opaque" {
		doc.Transparency = ""
	}
	if doc.Visibility == "default" {
		doc.Visibility = ""
	}
	if doc.ColorID != "" && palette.Find(palette.Event(), doc.ColorID) == "" {
		return refusal.Invalid("colorId", "%s is not a color of events", refusal.Clip(doc.ColorID))
	}
	return nil
}

func checkAttendees(doc *Event) error {
	if len(doc.Attendees) > 200 {
		return refusal.Invalid("attendees", "an event has at most 200 attendees")
	}
	for i := range doc.Attendees {
		a := &doc.Attendees[i]
		a.Email, a.Self, a.Organizer = strings.ToLower(a.Email), false, false
		if !strings.Contains(a.Email, "@") || len(a.Email) > 254 {
			return refusal.Invalid("attendees.email", "Invalid attendee email.")
		}
		if a.ResponseStatus == "" {
			a.ResponseStatus = "needsAction"
		}
		if !slices.Contains([]string{"needsAction", "declined", "tentative", "accepted"}, a.ResponseStatus) {
			return refusal.Invalid("attendees.responseStatus", "%s is not an answer", refusal.Clip(a.ResponseStatus))
		}
		if a.AdditionalGuests < 0 || a.AdditionalGuests > math.MaxInt32 {
			return refusal.Invalid("attendees.additionalGuests", "%d is not a number of guests", a.AdditionalGuests)
		}
		texts := map[string]string{"attendees.displayName": a.DisplayName, "attendees.comment": a.Comment}
		if err := CheckTexts(texts, ""); err != nil {
			return err
		}
	}
	return nil
}

func checkEventReminders(doc *Event) error {
	if doc.Reminders == nil {
		doc.Reminders = &Reminders{UseDefault: true}
	}
	if doc.Reminders.UseDefault && len(doc.Reminders.Overrides) > 0 {
		return refusal.Invalid("reminders.useDefault",
			"Cannot specify both default reminders and overrides at the same time.")
	}
	return CheckReminders("reminders.overrides", doc.Reminders.Overrides)
}

func checkProperties(p *Properties) error {
	if p == nil {
		return nil
	}
	if len(p.Private)+len(p.Shared) > 300 {
		return refusal.Invalid("extendedProperties", "an event has at most 300 properties")
	}
	for _, set := range []map[string]string{p.Private, p.Shared} {
		for name, value := range set {
			if utf8.RuneCountInString(name) > 44 || utf8.RuneCountInString(value) > 1024 {
				return refusal.Invalid("extendedProperties",
					"a property has a name of 44 and a value of 1024 characters at most")
			}
		}
	}
	return nil
}

// CheckID checks an id that a client chose: base32hex.
func CheckID(id string) error {
	if len(id) < 5 || len(id) > 1024 {
		return refusal.Invalid("id", "Invalid resource id value.")
	}
	for _, c := range id {
		if !strings.ContainsRune(IDAlphabet, c) {
			return refusal.Invalid("id", "Invalid resource id value.")
		}
	}
	return nil
}

// CheckReminders checks the reminders of an event or of a calendar.
func CheckReminders(field string, list []Reminder) error {
	if len(list) > 5 {
		return refusal.Invalid(field, "at most 5 reminders are kept")
	}
	for _, r := range list {
		if r.Method != "email" && r.Method != "popup" || r.Minutes < 0 || r.Minutes > 40320 {
			return refusal.Invalid(field, "a reminder is by email or popup, 0 to 40320 minutes before")
		}
	}
	return nil
}

// CheckTexts bounds what clients write: short texts and a description.
func CheckTexts(short map[string]string, description string) error {
	for name, text := range short {
		if utf8.RuneCountInString(text) > 1024 {
			return refusal.Invalid(name, "%s is longer than 1024 characters", name)
		}
	}
	if utf8.RuneCountInString(description) > 8192 {
		return refusal.Invalid("description", "description is longer than 8192 characters")
	}
	return nil
}

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

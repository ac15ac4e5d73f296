package calendar

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// checkEvent holds the rules for what a client may say about an event and
// drops what only the service says.
func checkEvent(doc *eventJSON, c calendarRow) error {
	if err := checkTimes(doc, c.zone()); err != nil {
		return err
	}
	if err := checkWords(doc); err != nil {
		return err
	}
	texts := map[string]string{"summary": doc.Summary, "location": doc.Location, "iCalUID": doc.ICalUID}
	if err := checkTexts(texts, doc.Description); err != nil {
		return err
	}
	if err := checkGuests(doc); err != nil {
		return err
	}
	if err := checkEventReminders(doc); err != nil {
		return err
	}
	if err := checkProperties(doc.ExtendedProperties); err != nil {
		return err
	}
	if len(doc.Attachments) > 25 {
		return errInvalid("attachments", "an event has at most 25 attachments")
	}
	for _, a := range doc.Attachments {
		if a.FileURL == "" {
			return errRequired("attachments.fileUrl")
		}
	}
	if doc.Source != nil && !strings.HasPrefix(doc.Source.URL, "http://") && !strings.HasPrefix(doc.Source.URL, "https://") {
		return errInvalid("source.url", "a source is an http or https address")
	}
	doc.Kind, doc.ETag, doc.HTMLLink, doc.Updated, doc.AttendeesOmitted = "", "", "", "", false
	doc.PrivateCopy, doc.Locked = false, false
	return nil
}

// checkWords fills in and checks the members with fixed words.
func checkWords(doc *eventJSON) error {
	for _, member := range []struct {
		name  string
		value *string
		words []string
	}{
		{"status", &doc.Status, []string{"confirmed", "tentative", "cancelled"}},
		{"transparency", &doc.Transparency, []string{"", "opaque", "transparent"}},
		{"visibility", &doc.Visibility, []string{"", "default", "public", "private", "confidential"}},
		{"eventType", &doc.EventType, []string{"default", "birthday", "focusTime", "outOfOffice", "workingLocation"}},
	} {
		if *member.value == "" {
			*member.value = member.words[0]
		}
		if !slices.Contains(member.words, *member.value) {
			return errInvalid(member.name, "Invalid value for: %s is not a valid value", clip(*member.value))
		}
	}
	// The defaults are not repeated.
	if doc.Transparency == "opaque" {
		doc.Transparency = ""
	}
	if doc.Visibility == "default" {
		doc.Visibility = ""
	}
	if doc.ColorID != "" && colorOf(eventColors(), doc.ColorID) == "" {
		return errInvalid("colorId", "%s is not a color of events", clip(doc.ColorID))
	}
	return nil
}

func checkGuests(doc *eventJSON) error {
	if len(doc.Attendees) > 200 {
		return errInvalid("attendees", "an event has at most 200 attendees")
	}
	for i := range doc.Attendees {
		a := &doc.Attendees[i]
		a.Email = strings.ToLower(a.Email)
		if !strings.Contains(a.Email, "@") || len(a.Email) > 254 {
			return errInvalid("attendees.email", "Invalid attendee email.")
		}
		if a.ResponseStatus == "" {
			a.ResponseStatus = "needsAction"
		}
		if !slices.Contains([]string{"needsAction", "declined", "tentative", "accepted"}, a.ResponseStatus) {
			return errInvalid("attendees.responseStatus", "%s is not an answer", clip(a.ResponseStatus))
		}
	}
	return nil
}

func checkEventReminders(doc *eventJSON) error {
	if doc.Reminders == nil {
		doc.Reminders = &remindersJSON{UseDefault: true}
	}
	if doc.Reminders.UseDefault && len(doc.Reminders.Overrides) > 0 {
		return errInvalid("reminders.useDefault", "Cannot specify both default reminders and overrides at the same time.")
	}
	return checkReminders("reminders.overrides", doc.Reminders.Overrides)
}

func checkProperties(p *propertiesJSON) error {
	if p == nil {
		return nil
	}
	if len(p.Private)+len(p.Shared) > 300 {
		return errInvalid("extendedProperties", "an event has at most 300 properties")
	}
	for _, set := range []map[string]string{p.Private, p.Shared} {
		for name, value := range set {
			if utf8.RuneCountInString(name) > 44 || utf8.RuneCountInString(value) > 1024 {
				return errInvalid("extendedProperties", "a property has a name of 44 and a value of 1024 characters at most")
			}
		}
	}
	return nil
}

// checkEventID holds the rule for ids that clients choose: base32hex.
func checkEventID(id string) error {
	if len(id) < 5 || len(id) > 1024 {
		return errInvalid("id", "Invalid resource id value.")
	}
	for _, c := range id {
		if !strings.ContainsRune(idAlphabet, c) {
			return errInvalid("id", "Invalid resource id value.")
		}
	}
	return nil
}

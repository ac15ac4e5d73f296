package invitation_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/invitation"
)

func original() event.Event {
	return event.Event{
		Summary: "s", ColorID: "3", Reminders: &event.Reminders{},
		ExtendedProperties: &event.Properties{Private: map[string]string{"o": "1"}, Shared: map[string]string{"a": "2"}},
		Attendees: []event.Attendee{
			{Email: "g@h", ResponseStatus: "needsAction"}, {Email: "x@h", ResponseStatus: "accepted"},
			{Email: "hall@h", Resource: true}, {Email: "o@h"},
		},
	}
}

func TestGuests(t *testing.T) {
	t.Parallel()
	if got := invitation.Guests(original(), "o@h"); len(got) != 2 || got[0] != "g@h" || got[1] != "x@h" {
		t.Errorf("guests: %v", got)
	}
}

// TestCopy: what is the organizer's own is not copied, and what is the guest's stays.
func TestCopy(t *testing.T) {
	t.Parallel()
	first := invitation.Copy(original(), "g@h", nil)
	if first.ColorID != "" || !first.Reminders.UseDefault || first.ExtendedProperties.Private != nil ||
		first.ExtendedProperties.Shared["a"] != "2" || len(first.Attendees) != 4 {
		t.Errorf("the first copy: %+v", first)
	}
	first.ColorID, first.Transparency = "7", "transparent"
	first.ExtendedProperties.Private = map[string]string{"g": "1"}
	o := original()
	hidden := false
	o.Summary, o.GuestsCanSeeOtherGuests = "new", &hidden
	next := invitation.Copy(o, "g@h", &first)
	if next.Summary != "new" || next.ColorID != "7" || next.Transparency != "transparent" ||
		next.ExtendedProperties.Private["g"] != "1" || len(next.Attendees) != 1 || !next.AttendeesOmitted {
		t.Errorf("the next copy: %+v", next)
	}
}

// TestOnlyOwn: a guest changes the answer and the own view, and nothing else.
func TestOnlyOwn(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(*event.Event)
		own    bool
	}{
		"the answer":        {func(e *event.Event) { e.Attendees[0].ResponseStatus = "accepted" }, true},
		"a color":           {func(e *event.Event) { e.ColorID = "1" }, true},
		"reminders":         {func(e *event.Event) { e.Reminders = nil }, true},
		"private":           {func(e *event.Event) { e.ExtendedProperties.Private["x"] = "1" }, true},
		"shared":            {func(e *event.Event) { e.ExtendedProperties.Shared["x"] = "1" }, false},
		"another's answer":  {func(e *event.Event) { e.Attendees[1].ResponseStatus = "declined" }, false},
		"the title":         {func(e *event.Event) { e.Summary = "mine" }, false},
		"one attendee less": {func(e *event.Event) { e.Attendees = e.Attendees[:3] }, false},
		"without attendees": {func(e *event.Event) { e.Attendees = nil }, false},
	} {
		after := original()
		row.change(&after)
		if got := invitation.OnlyOwn(original(), after, "g@h"); got != row.own {
			t.Errorf("%s: %t, want %t", name, got, row.own)
		}
	}
	answered := invitation.WithAnswer(original(), event.Attendee{Email: "g@h", ResponseStatus: "declined"})
	if !invitation.Declined(answered, "g@h") || invitation.Declined(answered, "x@h") ||
		invitation.Answer(answered, "n@h") != nil {
		t.Errorf("answers: %+v", answered.Attendees)
	}
}

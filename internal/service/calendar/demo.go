package calendar

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/calendar/acl"
	"stoa.dev/stoa/internal/service/calendar/event"
)

// demo gives the demo user a week: meetings, a series, a whole day, and a
// second calendar that the guest may read.
func (s *Service) demo(ctx context.Context, d *module.Demo) error {
	ada, err := s.userByName(ctx, d.User)
	if err != nil {
		return err
	}
	ada.unrestricted = true
	grace, err := s.userByName(ctx, d.Guest)
	if err != nil {
		return err
	}
	today := s.world.Clock.Now().UTC().Truncate(24 * time.Hour)
	for _, e := range demoEvents(today) {
		if _, err := s.InsertEvent(ctx, ada, "primary", e, view{}); err != nil {
			return err
		}
	}
	talks, err := s.InsertCalendar(ctx, ada, calendarJSON{Summary: "Talks on the porch", TimeZone: "Europe/Athens"})
	if err != nil {
		return err
	}
	talk := demoMeeting("On knowledge and belief", today, 3, 17)
	talk.Location = "The painted porch"
	if _, err := s.InsertEvent(ctx, ada, talks.ID, talk, view{}); err != nil {
		return err
	}
	guest := &acl.ScopeJSON{Type: ScopeUser, Value: grace.address}
	_, err = s.InsertACL(ctx, ada, talks.ID, ruleJSON{Role: RoleReader, Scope: guest})
	return err
}

// demoMeeting lasts an hour, some days after today.
func demoMeeting(summary string, today time.Time, days, hour int) event.Event {
	at := func(hour int) *event.Time {
		t := today.AddDate(0, 0, days).Add(time.Duration(hour) * time.Hour)
		return &event.Time{DateTime: t.Format(time.RFC3339), TimeZone: "UTC"}
	}
	return event.Event{Summary: summary, Start: at(hour), End: at(hour + 1)}
}

func demoEvents(today time.Time) []event.Event {
	day := func(n int) *event.Time { return &event.Time{Date: today.AddDate(0, 0, n).Format(event.DateForm)} }
	standUp := demoMeeting("Stand-up", today, 1, 9)
	standUp.Recurrence = []string{"RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}
	review := demoMeeting("Review of the engine", today, 1, 14)
	review.Location = "Library"
	lunch := demoMeeting("Lunch with Grace", today, 2, 12)
	lunch.ColorID = "5"
	conference := event.Event{Summary: "Conference", Start: day(4), End: day(6), Transparency: "transparent"}
	return []event.Event{standUp, review, lunch, conference}
}

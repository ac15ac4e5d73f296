package calendar

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/module"
)

// demo gives the demo user a week: meetings, a series, a whole day, and a
// second calendar that the guest may read.
func (s *Service) demo(ctx context.Context, d *module.Demo) error {
	u, err := s.identity.UserByName(ctx, d.User)
	if err != nil {
		return err
	}
	ada, err := s.personOf(ctx, u.ID)
	if err != nil {
		return err
	}
	ada.wide = true
	g, err := s.identity.UserByName(ctx, d.Guest)
	if err != nil {
		return err
	}
	grace, err := s.personOf(ctx, g.ID)
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
	talk := eventJSON{Summary: "On knowledge and belief", Location: "The painted porch", Start: demoTime(today, 3, 17), End: demoTime(today, 3, 18)}
	if _, err := s.InsertEvent(ctx, ada, talks.ID, talk, view{}); err != nil {
		return err
	}
	_, err = s.InsertACL(ctx, ada, talks.ID, ruleJSON{Role: RoleReader, Scope: &scopeJSON{Type: ScopeUser, Value: grace.address}})
	return err
}

func demoTime(today time.Time, days, hour int) *timeJSON {
	at := today.AddDate(0, 0, days).Add(time.Duration(hour) * time.Hour)
	return &timeJSON{DateTime: at.Format(time.RFC3339), TimeZone: "UTC"}
}

func demoEvents(today time.Time) []eventJSON {
	day := func(n int) *timeJSON { return &timeJSON{Date: today.AddDate(0, 0, n).Format(dateForm)} }
	return []eventJSON{
		{Summary: "Stand-up", Start: demoTime(today, 1, 9), End: demoTime(today, 1, 10), Recurrence: []string{"RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"}},
		{Summary: "Review of the engine", Location: "Room 2", Start: demoTime(today, 1, 14), End: demoTime(today, 1, 15)},
		{Summary: "Lunch with Grace", Start: demoTime(today, 2, 12), End: demoTime(today, 2, 13), ColorID: "5"},
		{Summary: "Conference", Start: day(4), End: day(6), Transparency: "transparent"},
	}
}

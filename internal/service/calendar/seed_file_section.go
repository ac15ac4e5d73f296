package calendar

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/service/calendar/acl"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/seedfile"
	"stoa.dev/stoa/internal/service/calendar/timespan"
)

// maxSeedUsers bounds whose calendars are written.
const maxSeedUsers = 100_000

// seeds is the section of calendars. A written file leaves out what a user says about
// the calendars of others, and instances that differ from their series.
func (s *Service) seeds() []seed.Section {
	return []seed.Section{seed.NewSection("calendars", "Calendars", s.seedCalendar, s.writeCalendars)}
}

func (s *Service) seedCalendar(ctx context.Context, _ *seed.Run, c seedfile.Calendar) error {
	u, err := s.userByName(ctx, c.User)
	if err != nil {
		return seed.At(err, "user")
	}
	u.unrestricted = true
	id := "primary"
	if c.Primary && (c.Summary != "" || c.Description != "" || c.Location != "" || c.TimeZone != "") {
		return seed.At(errors.New("the primary calendar takes access and events only"), "primary")
	}
	if !c.Primary {
		doc, err := s.InsertCalendar(ctx, u, calendarJSON{
			Summary: c.Summary, Description: c.Description, Location: c.Location, TimeZone: c.TimeZone,
		})
		if err != nil {
			return err
		}
		id = doc.ID
	}
	for i, a := range c.Access {
		rule := ruleJSON{Role: Role(a.Role), Scope: &acl.ScopeJSON{Type: ScopeType(a.Type), Value: a.Value}}
		if _, err := s.InsertACL(ctx, u, id, rule); err != nil {
			return seed.At(err, "access", i)
		}
	}
	for i, e := range c.Events {
		var doc event.Event
		if err := e.Into(&doc); err != nil {
			return seed.At(err, "events", i)
		}
		if _, err := s.InsertEvent(ctx, u, id, doc, view{}); err != nil {
			return seed.At(err, "events", i)
		}
	}
	return nil
}

func (s *Service) writeCalendars(ctx context.Context) ([]seedfile.Calendar, error) {
	users, err := s.identity.Users(ctx, 0, maxSeedUsers)
	if err != nil {
		return nil, err
	}
	var out []seedfile.Calendar
	for _, u := range users {
		rows, err := calendarsByOwner(ctx, s.world.DB, u.ID)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			c := seedfile.Calendar{User: u.Name, Primary: row.primary}
			if !row.primary {
				c.Summary, c.Description = row.doc.Summary, row.doc.Description
				c.Location, c.TimeZone = row.doc.Location, row.doc.TimeZone
			}
			if err := s.writeCalendar(ctx, row, &c); err != nil {
				return nil, err
			}
			if !c.Primary || len(c.Events)+len(c.Access) > 0 {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

func (s *Service) writeCalendar(ctx context.Context, row calendarRow, c *seedfile.Calendar) error {
	owner, err := userByID(ctx, s.world.DB, row.ownerID)
	if err != nil {
		return err
	}
	rules, err := acl.List(ctx, s.world.DB, row.id, -1, false, maxSeedUsers)
	if err != nil {
		return err
	}
	for _, r := range rules {
		if r.Scope == ScopeUser && strings.EqualFold(r.Value, owner.address) {
			continue // an owner has it from the beginning
		}
		c.Access = append(c.Access, seedfile.Access{Role: string(r.Role), Type: string(r.Scope), Value: r.Value})
	}
	for after, more := int64(-1), true; more; {
		var events []eventRow
		events, more, err = listEventsByChange(ctx, s.world.DB, row.id, after, false, timespan.Span{}, batch)
		if err != nil {
			return err
		}
		for _, e := range events {
			after = e.seq
			if e.series != "" || e.cancelled {
				continue
			}
			out, err := seedfile.NewEvent(e.id, e.doc)
			if err != nil {
				return err
			}
			c.Events = append(c.Events, out)
		}
	}
	return nil
}

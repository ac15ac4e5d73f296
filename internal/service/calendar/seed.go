package calendar

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/service/calendar/event"
)

type seedCalendar struct {
	User        string `json:"user" doc:"Who owns it."`
	Primary     bool   `json:"primary,omitempty" doc:"The calendar that every user has; only access and events are its own."`
	Summary     string `json:"summary,omitempty" doc:"The title of a calendar that is not the primary one."`
	Description string `json:"description,omitempty" doc:"A longer text."`
	Location    string `json:"location,omitempty" doc:"A place."`
	TimeZone    string `json:"timeZone,omitempty" doc:"A zone such as Europe/Athens; UTC when left out."`

	Access []seedAccess `json:"access,omitempty" doc:"Who else may do what."`
	Events []seedEvent  `json:"events,omitempty" doc:"Events and series."`
}

type seedAccess struct {
	Role  string `json:"role" doc:"freeBusyReader, reader, writer or owner."`
	Type  string `json:"type" enum:"default,user,group,domain" doc:"Whom the rule is about."`
	Value string `json:"value,omitempty" doc:"The address or domain."`
}

type seedTime struct {
	Date     string `json:"date,omitempty" doc:"A whole day, such as 2026-03-01."`
	DateTime string `json:"dateTime,omitempty" doc:"A time, such as 2026-03-01T09:00:00Z."`
	TimeZone string `json:"timeZone,omitempty" doc:"The zone; that of the calendar when left out."`
}

type seedAttendee struct {
	Email          string `json:"email" doc:"The address."`
	DisplayName    string `json:"displayName,omitempty" doc:"The name."`
	Optional       bool   `json:"optional,omitempty" doc:"Whether the event can do without."`
	ResponseStatus string `json:"responseStatus,omitempty" doc:"needsAction, accepted, tentative or declined."`
}

// seedEvent has the members of the contract's Event that a seed file holds, by the
// same names.
type seedEvent struct {
	ID           string         `json:"id,omitempty" doc:"The identifier; chosen when left out."`
	Summary      string         `json:"summary,omitempty" doc:"The title."`
	Description  string         `json:"description,omitempty" doc:"A longer text."`
	Location     string         `json:"location,omitempty" doc:"A place."`
	Start        seedTime       `json:"start" doc:"When it begins."`
	End          seedTime       `json:"end" doc:"When it ends."`
	Recurrence   []string       `json:"recurrence,omitempty" doc:"Rules such as RRULE:FREQ=WEEKLY."`
	Attendees    []seedAttendee `json:"attendees,omitempty" doc:"Who is invited."`
	ColorID      string         `json:"colorId,omitempty" doc:"A color of the palette."`
	Status       string         `json:"status,omitempty" doc:"confirmed or tentative."`
	Transparency string         `json:"transparency,omitempty" doc:"opaque or transparent."`
	Visibility   string         `json:"visibility,omitempty" doc:"default, public, private or confidential."`
}

// maxSeedUsers bounds whose calendars are written.
const maxSeedUsers = 100_000

// seeds is the section of calendars. A written file leaves out what a user says about
// the calendars of others, and instances that differ from their series.
func (s *Service) seeds() []seed.Section {
	return []seed.Section{seed.NewSection("calendars", "Calendars", s.seedCalendar, s.writeCalendars)}
}

func (s *Service) seedCalendar(ctx context.Context, _ *seed.Run, c seedCalendar) error {
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
		rule := ruleJSON{Role: Role(a.Role), Scope: &scopeJSON{Type: ScopeType(a.Type), Value: a.Value}}
		if _, err := s.InsertACL(ctx, u, id, rule); err != nil {
			return seed.At(err, "access", i)
		}
	}
	for i, e := range c.Events {
		var doc event.Event
		if err := convert(e, &doc); err != nil {
			return seed.At(err, "events", i)
		}
		if _, err := s.InsertEvent(ctx, u, id, doc, view{}); err != nil {
			return seed.At(err, "events", i)
		}
	}
	return nil
}

// convert copies the members that two types share by their names.
func convert(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

func (s *Service) writeCalendars(ctx context.Context) ([]seedCalendar, error) {
	users, err := s.identity.Users(ctx, 0, maxSeedUsers)
	if err != nil {
		return nil, err
	}
	var out []seedCalendar
	for _, u := range users {
		rows, err := calendarsByOwner(ctx, s.world.DB, u.ID)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			c := seedCalendar{User: u.Name, Primary: row.primary}
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

func (s *Service) writeCalendar(ctx context.Context, row calendarRow, c *seedCalendar) error {
	owner, err := userByID(ctx, s.world.DB, row.ownerID)
	if err != nil {
		return err
	}
	rules, err := listRules(ctx, s.world.DB, row.id, -1, false, maxSeedUsers)
	if err != nil {
		return err
	}
	for _, r := range rules {
		if r.scope == ScopeUser && strings.EqualFold(r.value, owner.address) {
			continue // an owner has it from the beginning
		}
		c.Access = append(c.Access, seedAccess{Role: string(r.role), Type: string(r.scope), Value: r.value})
	}
	events, err := listEventsByChange(ctx, s.world.DB, row.id, -1, false, timeSpan{}, maxEvents)
	if err != nil {
		return err
	}
	for _, e := range events {
		if e.series != "" || e.cancelled {
			continue
		}
		var out seedEvent
		if err := convert(e.doc, &out); err != nil {
			return err
		}
		out.ID = e.id
		if out.Status == "confirmed" {
			out.Status = ""
		}
		c.Events = append(c.Events, out)
	}
	return nil
}

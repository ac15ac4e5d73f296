package calendar

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// noMail is the domain of people who have no mail address.
const noMail = "localhost"

// me finds the caller's person. Whoever calls for the first time is given an
// address and a primary calendar.
func (s *Service) me(ctx context.Context, c *identity.Caller) (person, error) {
	if c.UserID == 0 {
		return person{}, refuse(CodeForbidden, "", "the token speaks for no user; calendars belong to users")
	}
	p, err := s.personOf(ctx, c.UserID)
	p.client, p.has = c.ClientID, c.HasScope
	return p, err
}

// personOf finds somebody by the user's id, and makes the person if need be.
func (s *Service) personOf(ctx context.Context, id int64) (person, error) {
	p, err := personByID(ctx, s.world.DB, id)
	if !errors.Is(err, database.ErrNotFound) {
		return p, err
	}
	u, err := s.identity.User(ctx, id)
	if err != nil {
		return person{}, fmt.Errorf("find the caller: %w", err)
	}
	now := s.world.Clock.Now()
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		p, err = s.welcome(ctx, tx, u, now)
		return err
	})
	return p, err
}

// welcome gives a user the first free of several addresses, a primary
// calendar, the rule that makes it theirs and a place on their list.
func (s *Service) welcome(ctx context.Context, tx *database.Tx, u identity.User, now time.Time) (person, error) {
	p, err := personByID(ctx, tx, u.ID)
	if !errors.Is(err, database.ErrNotFound) {
		return p, err // Somebody else was faster.
	}
	p = person{id: u.ID, name: u.DisplayName}
	for _, address := range []string{u.Email, u.Name + "@" + noMail, fmt.Sprintf("%s.%d@%s", u.Name, u.ID, noMail)} {
		if address == "" {
			continue
		}
		p.address = strings.ToLower(address)
		_, err := calendarByID(ctx, tx, p.address)
		if missing, err := none(err); err != nil {
			return p, err
		} else if !missing {
			continue // It is the id of somebody's calendar.
		}
		free, err := insertPerson(ctx, tx, p)
		if err != nil {
			return p, err
		}
		if free {
			c := calendarRow{id: p.address, ownerID: p.id, primary: true, doc: calendarJSON{Summary: p.address, TimeZone: "UTC"}, updated: now, version: 1}
			return p, s.found(ctx, tx, p, c, now)
		}
	}
	return p, fmt.Errorf("calendar: no address is free for user %d", u.ID)
}

// found writes a new calendar with its owner's rule and entry.
func (s *Service) found(ctx context.Context, tx *database.Tx, p person, c calendarRow, now time.Time) error {
	if err := putCalendar(ctx, tx, c); err != nil {
		return err
	}
	seq, err := nextACLSeq(ctx, tx, c.id)
	if err != nil {
		return err
	}
	rule := ruleRow{scope: ScopeUser, value: p.address, role: RoleOwner, seq: seq, updated: now}
	if err := putRule(ctx, tx, c.id, rule); err != nil {
		return err
	}
	return s.listCalendar(ctx, tx, entryRow{userID: p.id, calendar: c.id, doc: newEntry(c.primary), updated: now}, now)
}

// newEntry is how a calendar of one's own is shown at first.
func newEntry(primary bool) entryJSON {
	e := entryJSON{ColorID: "14", Selected: true, DefaultReminders: []reminderJSON{}}
	if primary {
		e.DefaultReminders = []reminderJSON{{Method: "popup", Minutes: 10}}
		e.NotificationSettings = &notificationsJSON{Notifications: []notificationJSON{
			{"eventCreation", "email"}, {"eventChange", "email"}, {"eventCancellation", "email"}, {"eventResponse", "email"},
		}}
	}
	return e.colored()
}

// open finds a calendar and checks that the caller may do what need allows.
// Whoever may nothing is not told that it exists.
func (s *Service) open(ctx context.Context, p person, id string, need Role) (calendarRow, Role, error) {
	return s.openIn(ctx, s.world.DB, p, id, need)
}

// openIn is open inside a transaction.
func (s *Service) openIn(ctx context.Context, q database.Querier, p person, id string, need Role) (calendarRow, Role, error) {
	c, role, err := s.access(ctx, q, p, id)
	switch {
	case err != nil:
		return c, role, err
	case !role.allows(RoleFreeBusy):
		return c, role, errNotFound()
	case !role.allows(need):
		return c, role, errAccess(need)
	}
	return c, role, nil
}

// access is the caller's role, none included.
func (s *Service) access(ctx context.Context, q database.Querier, p person, id string) (calendarRow, Role, error) {
	c, err := calendarByID(ctx, q, p.calendar(id))
	if err != nil {
		return c, RoleNone, err
	}
	role, public, err := s.roleOf(ctx, q, p, c.id)
	if err != nil {
		return c, RoleNone, err
	}
	return c, p.narrow(c, role, public), nil
}

// calendar resolves the alias of the caller's own calendar; ids are addresses
// and know no case.
func (p person) calendar(id string) string {
	if id == "primary" {
		return p.address
	}
	return strings.ToLower(id)
}

// roleOf is the strongest role that a rule gives somebody, and the role of
// everybody.
func (s *Service) roleOf(ctx context.Context, q database.Querier, p person, calendar string) (role, public Role, err error) {
	_, domain, _ := strings.Cut(p.address, "@")
	rules, err := rulesFor(ctx, q, calendar, p.address, domain)
	if err != nil {
		return RoleNone, RoleNone, err
	}
	role, public = RoleNone, RoleNone
	for _, r := range rules {
		if r.scope == ScopeDefault {
			public = r.role
		}
		if !r.role.allows(role) {
			continue
		}
		if r.scope == ScopeGroup {
			in, err := s.inGroup(ctx, p.id, r.value)
			if err != nil {
				return RoleNone, RoleNone, err
			}
			if !in {
				continue
			}
		}
		role = r.role
	}
	return role, public, nil
}

// inGroup reports whether somebody belongs to the team whose name stands before
// the group address's @.
func (s *Service) inGroup(ctx context.Context, user int64, group string) (bool, error) {
	name, _, _ := strings.Cut(group, "@")
	team, err := s.identity.TeamByName(ctx, name)
	if err == nil {
		_, err = s.identity.TeamMember(ctx, team.ID, user)
	}
	if errors.Is(err, identity.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// narrow lowers a role to what the token's scopes leave of it, for tokens
// that open some calendars only.
func (p person) narrow(c calendarRow, role, public Role) Role {
	if p.wide || p.has == nil {
		return role
	}
	best := RoleNone
	try := func(holds bool, scope string, most Role) {
		if got := role.atMost(most); holds && p.has(scope) && got.rank() > best.rank() {
			best = got
		}
	}
	try(c.clientID != "" && c.clientID == p.client && !c.primary, "calendar.app.created", RoleOwner)
	try(role == RoleOwner, "calendar.events.owned", RoleOwner)
	try(role == RoleOwner, "calendar.events.owned.readonly", RoleOwner)
	try(public.allows(RoleReader), "calendar.events.public.readonly", RoleReader)
	try(true, "calendar.events.freebusy", RoleFreeBusy)
	return best
}

package calendar

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// openCalendar finds a calendar and checks that the caller may do what need allows.
// A caller without any role is not told that it exists.
func (s *Service) openCalendar(ctx context.Context, u user, id string, need Role) (calendarRow, Role, error) {
	return s.openCalendarIn(ctx, s.world.DB, u, id, need)
}

// openCalendarIn is open inside a transaction.
func (s *Service) openCalendarIn(
	ctx context.Context, q database.Querier, u user, id string, need Role,
) (calendarRow, Role, error) {
	c, role, err := s.calendarRole(ctx, q, u, id)
	switch {
	case err != nil:
		return c, role, err
	case !role.Allows(RoleFreeBusy):
		return c, role, errNotFound().Because("the calendar exists and is not shared with the caller")
	case !role.Allows(need):
		return c, role, errAccess(need)
	}
	return c, role, nil
}

// calendarRole is the caller's role, none included.
func (s *Service) calendarRole(ctx context.Context, q database.Querier, u user, id string) (calendarRow, Role, error) {
	id = u.calendar(id)
	c, missing := s.calendars.Get(ctx, q, id)
	// The rules of one that is not there are read too: a refusal that came sooner would tell it.
	role, public, err := s.roleOf(ctx, q, u, id)
	if err := cmp.Or(missing, err); err != nil {
		return c, RoleNone, err
	}
	return c, u.restrictRole(c, role, public), nil
}

// calendar resolves the alias of the caller's own calendar; ids are addresses
// and know no case.
func (u user) calendar(id string) string {
	if id == "primary" {
		return u.address
	}
	return strings.ToLower(id)
}

// roleOf is the strongest role that a rule gives a user, and the role that every
// user has.
func (s *Service) roleOf(
	ctx context.Context, q database.Querier, u user, calendar string,
) (role, public Role, err error) {
	_, domain, _ := strings.Cut(u.address, "@")
	rules, err := s.rules.Get(ctx, q, ruleKey{calendar, u.address, domain})
	if err != nil {
		return RoleNone, RoleNone, err
	}
	role, public = RoleNone, RoleNone
	for _, r := range rules {
		if r.scope == ScopeDefault {
			public = r.role
		}
		if !r.role.Allows(role) {
			continue
		}
		if r.scope == ScopeGroup {
			in, err := s.inGroup(ctx, u.id, r.value)
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

// inGroup reports whether a user belongs to the team whose name stands before
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

// restrictRole lowers a role to what the token's scopes leave of it, for tokens
// that open some calendars only.
func (u user) restrictRole(c calendarRow, role, public Role) Role {
	if u.unrestricted || u.has == nil {
		return role
	}
	best := RoleNone
	try := func(applies bool, scope string, limit Role) {
		if got := role.Weaker(limit); applies && u.has(scope) && got.Rank() > best.Rank() {
			best = got
		}
	}
	try(c.clientID != "" && c.clientID == u.client && !c.primary, "calendar.app.created", RoleOwner)
	try(role == RoleOwner, "calendar.events.owned", RoleOwner)
	try(role == RoleOwner, "calendar.events.owned.readonly", RoleOwner)
	try(public.Allows(RoleReader), "calendar.events.public.readonly", RoleReader)
	try(true, "calendar.events.freebusy", RoleFreeBusy)
	return best
}

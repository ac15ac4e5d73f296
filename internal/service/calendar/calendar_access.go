package calendar

import (
	"cmp"
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// openCalendar finds a calendar and checks that the caller may do what need allows.
// A caller without any role is not told that it exists.
func (s *Service) openCalendar(ctx context.Context, u user, id string, need Role) (calendarRow, Role, error) {
	return s.openCalendarIn(ctx, s.world.DB, u, id, need)
}

// openCalendarIn is openCalendar inside a transaction.
func (s *Service) openCalendarIn(
	ctx context.Context, q database.Querier, u user, id string, need Role,
) (calendarRow, Role, error) {
	c, role, err := s.calendarRole(ctx, q, u, id)
	switch {
	case err != nil:
		return c, role, err
	case !role.Allows(RoleFreeBusy):
		return c, role, refusal.NotFound().Because("the calendar exists and is not shared with the caller")
	case !role.Allows(need):
		return c, role, errAccess(need)
	}
	return c, role, nil
}

// changeOwned runs a change of a calendar that the caller owns. Calendar and role are read under its lock.
func (s *Service) changeOwned(
	ctx context.Context, u user, id string, fn func(ctx context.Context, tx *database.Tx, c calendarRow) error,
) error {
	return s.world.DB.WriteKeyed(ctx, writeKey(u.calendar(id)), func(ctx context.Context, tx *database.Tx) error {
		c, _, err := s.openCalendarIn(ctx, tx, u, id, RoleOwner)
		if err != nil {
			return err
		}
		return fn(ctx, tx, c)
	})
}

// reopen gives a calendar that the caller may write to, and the role, as they are in a transaction that holds its
// lock: both may have changed since the request opened it.
func (s *Service) reopen(
	ctx context.Context, tx *database.Tx, u user, c calendarRow, role Role,
) (calendarRow, Role, error) {
	now, err := calendarByID(ctx, tx, c.id)
	if err != nil || now.version == c.version && now.aclSeq == c.aclSeq {
		return now, role, err
	}
	return s.openCalendarIn(ctx, tx, u, c.id, RoleWriterNoSecret)
}

// calendarRole is the caller's role, none included.
func (s *Service) calendarRole(ctx context.Context, q database.Querier, u user, id string) (calendarRow, Role, error) {
	id = u.calendar(id)
	c, missing := s.calendars.Get(ctx, q, id)
	// The rules of one that is not there are read too: a refusal that came sooner would tell it.
	role, public, err := s.rules.RoleOf(ctx, q, u.id, u.address, id)
	if err := cmp.Or(refusal.OrNotFound(missing), err); err != nil {
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

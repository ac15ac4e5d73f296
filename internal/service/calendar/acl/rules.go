package acl

import (
	"context"
	"errors"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/readcache"
	"stoa.dev/stoa/internal/service/calendar/permission"
)

// Rule is a stored access rule.
type Rule struct {
	Scope   permission.ScopeType
	Value   string
	Role    permission.Role
	Seq     int64
	Updated time.Time
}

// ID is what the rule is named.
func (r Rule) ID() string { return permission.RuleID(r.Scope, r.Value) }

// Rules are those of all calendars.
type Rules struct {
	identity *identity.Identity
	saved    Saved
	kept     *readcache.Cache[reader, []Rule]
}

// keptMemory bounds the rules that are kept, in bytes.
const keptMemory = 1 << 20

// New makes the rules of a world.
func New(identity *identity.Identity, saved Saved) *Rules {
	return &Rules{
		identity: identity, saved: saved,
		kept: readcache.New(keptMemory, forReader, func(r reader, rules []Rule) int {
			return len(r.calendar) + len(r.address) + 128*len(rules)
		}),
	}
}

// CacheStats counts what is kept of the rules.
func (s *Rules) CacheStats() memo.Stats { return s.kept.Stats() }

// RoleOf is the strongest role that a rule of a calendar gives a user, and the role that every user has.
func (s *Rules) RoleOf(ctx context.Context, q database.Querier, userID int64, address, calendar string) (
	role, public permission.Role, err error,
) {
	rules, err := s.kept.Get(ctx, q, reader{calendar, address})
	if err != nil {
		return permission.RoleNone, permission.RoleNone, err
	}
	role, public = permission.RoleNone, permission.RoleNone
	for _, r := range rules {
		if r.Scope == permission.ScopeDefault {
			public = r.Role
		}
		if !r.Role.Allows(role) {
			continue
		}
		if r.Scope == permission.ScopeGroup {
			in, err := s.inGroup(ctx, userID, r.Value)
			if err != nil {
				return permission.RoleNone, permission.RoleNone, err
			}
			if !in {
				continue
			}
		}
		role = r.Role
	}
	return role, public, nil
}

// inGroup reports whether a user belongs to the team whose name stands before
// the group address's @.
func (s *Rules) inGroup(ctx context.Context, user int64, group string) (bool, error) {
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

package calendar

import (
	"context"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/permission"
	"stoa.dev/stoa/internal/service/calendar/reason"
)

// ListACL is a page of a calendar's access rules.
func (s *Service) ListACL(
	ctx context.Context, u user, calendar string, l listing.Request, deleted bool,
) (*aclJSON, error) {
	c, role, err := s.openCalendar(ctx, u, calendar, RoleWriter)
	if err != nil {
		return nil, err
	}
	l.Bind = "acl " + c.id + " " + u.address
	cur, err := s.tokens.Open(l)
	if err != nil {
		return nil, err
	}
	if cur.Sync && cur.Role != string(role) {
		return nil, reason.FullSync()
	}
	var rules []ruleRow
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if c, err = calendarByID(ctx, tx, c.id); err != nil {
			return err
		}
		rules, err = listRules(ctx, tx, c.id, cur.After, deleted || cur.Sync, l.Size+1)
		return err
	})
	if err != nil {
		return nil, err
	}
	if l.PageToken == "" {
		cur.Seq, cur.Role = c.aclSeq, string(role)
	}
	out := &aclJSON{Kind: "calendar#acl", ETag: etag(c.updated, c.aclSeq), Items: []*ruleJSON{}}
	rules, out.NextPageToken, out.NextSyncToken = listing.Paginate(s.tokens, l, cur, rules,
		func(r ruleRow) int64 { return r.seq })
	for _, r := range rules {
		out.Items = append(out.Items, ruleToWire(r))
	}
	return out, nil
}

// GetACL reads one rule.
func (s *Service) GetACL(ctx context.Context, u user, calendar, id string) (*ruleJSON, error) {
	c, _, err := s.openCalendar(ctx, u, calendar, RoleWriter)
	if err != nil {
		return nil, err
	}
	scope, value := permission.ParseRuleID(id)
	r, err := ruleByScope(ctx, s.world.DB, c.id, scope, value)
	if err != nil {
		return nil, err
	}
	return ruleToWire(r), nil
}

// checkRule checks what a client may say in a rule.
func checkRule(doc ruleJSON) (ruleRow, error) {
	if doc.Scope == nil || doc.Scope.Type == "" {
		return ruleRow{}, reason.Required("scope.type")
	}
	if doc.Role == "" {
		return ruleRow{}, reason.Required("role")
	}
	if !slices.Contains(permission.Roles(), doc.Role) {
		return ruleRow{}, errInvalidField("role", "%s is not a role", reason.Clip(string(doc.Role)))
	}
	r := ruleRow{scope: doc.Scope.Type, value: strings.ToLower(doc.Scope.Value), role: doc.Role}
	at := strings.Contains(r.value, "@")
	switch {
	case r.scope == ScopeDefault:
		r.value = ""
	case r.scope == ScopeDomain && (r.value == "" || at),
		(r.scope == ScopeUser || r.scope == ScopeGroup) && !at, len(r.value) > 254:
		return r, errInvalidField("scope.value", "%q does not name a %s", reason.Clip(r.value), r.scope)
	case r.scope != ScopeUser && r.scope != ScopeGroup && r.scope != ScopeDomain:
		return r, errInvalidField("scope.type", "%s is not default, user, group or domain",
			reason.Clip(string(r.scope)))
	}
	return r, doc.sameAs(r)
}

// sameAs refuses a document that names another rule than a row is.
func (r *ruleJSON) sameAs(row ruleRow) error {
	id, s := permission.RuleID(row.scope, row.value), r.Scope
	if r.ID != "" && !strings.EqualFold(r.ID, id) || s != nil && (s.Type != "" && s.Type != row.scope ||
		s.Value != "" && strings.ToLower(s.Value) != row.value) {
		return errInvalidField("scope", "it and the id are those of %s, or are left out", reason.Clip(id))
	}
	return nil
}

// InsertACL makes or replaces the rule of a scope.
func (s *Service) InsertACL(ctx context.Context, u user, calendar string, doc ruleJSON) (*ruleJSON, error) {
	// Who may not change the calendar learns nothing about the rule.
	if _, _, err := s.openCalendar(ctx, u, calendar, RoleOwner); err != nil {
		return nil, err
	}
	r, err := checkRule(doc)
	if err != nil {
		return nil, err
	}
	return s.setRule(ctx, u, calendar, r, "")
}

// UpdateACL changes the role of a rule, which is all that can change: an update and a patch do the same.
func (s *Service) UpdateACL(
	ctx context.Context, u user, calendar, id string, doc ruleJSON, ifMatch string,
) (*ruleJSON, error) {
	scope, value := permission.ParseRuleID(id)
	if doc.Role == "" {
		return nil, reason.Required("role")
	}
	r, err := checkRule(ruleJSON{Scope: &scopeJSON{Type: scope, Value: value}, Role: doc.Role})
	if err != nil {
		return nil, errNotFound()
	}
	if err := doc.sameAs(r); err != nil {
		return nil, err
	}
	if ifMatch == "" {
		ifMatch = "*"
	}
	return s.setRule(ctx, u, calendar, r, ifMatch)
}

// DeleteACL ends a rule.
func (s *Service) DeleteACL(ctx context.Context, u user, calendar, id, ifMatch string) error {
	if ifMatch == "" {
		ifMatch = "*"
	}
	scope, value := permission.ParseRuleID(id)
	_, err := s.setRule(ctx, u, calendar, ruleRow{scope: scope, value: value, role: RoleNone}, ifMatch)
	return err
}

// maxRules is how many rules a calendar may have, those that were taken back included.
const maxRules = 1000

// setRule writes a rule. With a condition the rule must exist already.
func (s *Service) setRule(ctx context.Context, u user, calendar string, r ruleRow, ifMatch string) (*ruleJSON, error) {
	c, _, err := s.openCalendar(ctx, u, calendar, RoleOwner)
	if err != nil {
		return nil, err
	}
	owner, err := userByID(ctx, s.world.DB, c.ownerID)
	if err != nil {
		return nil, err
	}
	if r.scope == ScopeUser && r.role != RoleOwner && (r.value == u.address || r.value == owner.address) {
		return nil, reason.New(reason.CodeCannotChange, "",
			"Neither your own access nor the data owner's can be lowered.")
	}
	now := s.now()
	r.updated = now
	err = s.world.DB.WriteKeyed(ctx, writeKey(c.id), func(ctx context.Context, tx *database.Tx) error {
		if ifMatch != "" {
			old, err := ruleByScope(ctx, tx, c.id, r.scope, r.value)
			if err != nil {
				return err
			}
			if old.role == RoleNone {
				return errNotFound()
			}
			if !wire.MatchTag(ifMatch, etag(old.updated, old.seq)) {
				return errCondition()
			}
			if old.role == r.role {
				return nil
			}
		}
		if n, err := countRules(ctx, tx, c.id); err != nil {
			return err
		} else if _, err := ruleByScope(ctx, tx, c.id, r.scope, r.value); err != nil && n >= maxRules {
			return errQuota("one calendar has %d rules at most.", maxRules)
		}
		return s.saveRule(ctx, tx, c.id, r, now)
	})
	if err != nil {
		return nil, err
	}
	written, err := ruleByScope(ctx, s.world.DB, c.id, r.scope, r.value)
	if err != nil {
		return nil, err
	}
	return ruleToWire(written), nil
}

// saveRule writes a rule, notifies its channels, and ends what a user could see
// only before: an entry of their list, and channels.
func (s *Service) saveRule(ctx context.Context, tx *database.Tx, id string, r ruleRow, now time.Time) (err error) {
	if r.seq, err = nextACLSeq(ctx, tx, id); err != nil {
		return err
	}
	if err := upsertRule(ctx, tx, id, r); err != nil {
		return err
	}
	if err := s.channels.Changed(ctx, tx, aclOf(id), now); err != nil {
		return err
	}
	if r.role == RoleNone {
		if err := s.unlistWithoutAccess(ctx, tx, id, now); err != nil {
			return err
		}
	}
	return s.endWithoutAccess(ctx, tx, id, now)
}

// unlistWithoutAccess takes a calendar from the lists of all users who may see it
// no longer: a rule may be about many.
func (s *Service) unlistWithoutAccess(ctx context.Context, tx *database.Tx, calendar string, now time.Time) error {
	holders, err := entryOwners(ctx, tx, calendar)
	if err != nil {
		return err
	}
	for _, user := range holders {
		u, err := userByID(ctx, tx, user)
		if err != nil {
			return err
		}
		role, _, err := s.roleOf(ctx, tx, u, calendar)
		if err != nil {
			return err
		}
		if role != RoleNone {
			continue
		}
		if err := s.unlistCalendar(ctx, tx, user, calendar, now); err != nil {
			return err
		}
	}
	return nil
}

package calendar

import (
	"context"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// ListACL is a page of a calendar's access rules.
func (s *Service) ListACL(ctx context.Context, p person, calendar string, l listing, deleted bool) (*aclJSON, error) {
	c, role, err := s.open(ctx, p, calendar, RoleWriter)
	if err != nil {
		return nil, err
	}
	l.bind = "acl " + c.id + " " + p.address
	cur, err := s.begin(l)
	if err != nil {
		return nil, err
	}
	if cur.Sync && cur.Role != role {
		return nil, errFullSync()
	}
	var rules []ruleRow
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if c, err = calendarByID(ctx, tx, c.id); err != nil {
			return err
		}
		rules, err = rulesAfter(ctx, tx, c.id, cur.After, deleted || cur.Sync, l.size+1)
		return err
	})
	if err != nil {
		return nil, err
	}
	if l.pageToken == "" {
		cur.Seq, cur.Role = c.aclSeq, role
	}
	out := &aclJSON{Kind: "calendar#acl", ETag: etag(c.updated, c.aclSeq), Items: []*ruleJSON{}}
	rules, out.NextPageToken, out.NextSyncToken = turn(s, l, cur, rules, func(r ruleRow) int64 { return r.seq })
	for _, r := range rules {
		out.Items = append(out.Items, ruleToWire(r))
	}
	return out, nil
}

// parseRuleID splits "user:somebody@example.com".
func parseRuleID(id string) (ScopeType, string) {
	t, value, _ := strings.Cut(id, ":")
	return ScopeType(t), strings.ToLower(value)
}

// GetACL reads one rule.
func (s *Service) GetACL(ctx context.Context, p person, calendar, id string) (*ruleJSON, error) {
	c, _, err := s.open(ctx, p, calendar, RoleWriter)
	if err != nil {
		return nil, err
	}
	scope, value := parseRuleID(id)
	r, err := ruleByScope(ctx, s.world.DB, c.id, scope, value)
	if err != nil {
		return nil, err
	}
	return ruleToWire(r), nil
}

// checkRule holds the rules for what a client may say in a rule.
func checkRule(doc ruleJSON) (ruleRow, error) {
	if doc.Scope == nil || doc.Scope.Type == "" {
		return ruleRow{}, errRequired("scope.type")
	}
	if doc.Role == "" {
		return ruleRow{}, errRequired("role")
	}
	if !slices.Contains(roles(), doc.Role) {
		return ruleRow{}, errInvalid("role", "%s is not a role", clip(string(doc.Role)))
	}
	r := ruleRow{scope: doc.Scope.Type, value: strings.ToLower(doc.Scope.Value), role: doc.Role}
	at := strings.Contains(r.value, "@")
	switch {
	case r.scope == ScopeDefault:
		r.value = ""
	case r.scope == ScopeDomain && (r.value == "" || at), (r.scope == ScopeUser || r.scope == ScopeGroup) && !at, len(r.value) > 254:
		return r, errInvalid("scope.value", "%q does not name a %s", clip(r.value), r.scope)
	case r.scope != ScopeUser && r.scope != ScopeGroup && r.scope != ScopeDomain:
		return r, errInvalid("scope.type", "%s is not default, user, group or domain", clip(string(r.scope)))
	}
	return r, nil
}

// InsertACL makes or replaces the rule of a scope.
func (s *Service) InsertACL(ctx context.Context, p person, calendar string, doc ruleJSON) (*ruleJSON, error) {
	// Who may not change the calendar learns nothing about the rule.
	if _, _, err := s.open(ctx, p, calendar, RoleOwner); err != nil {
		return nil, err
	}
	r, err := checkRule(doc)
	if err != nil {
		return nil, err
	}
	return s.setRule(ctx, p, calendar, r, "")
}

// UpdateACL changes the role of a rule that exists. A rule has no other member
// that can change, so an update and a patch do the same.
func (s *Service) UpdateACL(ctx context.Context, p person, calendar, id string, doc ruleJSON, ifMatch string) (*ruleJSON, error) {
	scope, value := parseRuleID(id)
	if doc.Role == "" {
		return nil, errRequired("role")
	}
	r, err := checkRule(ruleJSON{Scope: &scopeJSON{Type: scope, Value: value}, Role: doc.Role})
	if err != nil {
		return nil, errNotFound()
	}
	if ifMatch == "" {
		ifMatch = "*"
	}
	return s.setRule(ctx, p, calendar, r, ifMatch)
}

// DeleteACL ends a rule.
func (s *Service) DeleteACL(ctx context.Context, p person, calendar, id, ifMatch string) error {
	if ifMatch == "" {
		ifMatch = "*"
	}
	scope, value := parseRuleID(id)
	_, err := s.setRule(ctx, p, calendar, ruleRow{scope: scope, value: value, role: RoleNone}, ifMatch)
	return err
}

// maxRules is how many rules a calendar may have, those that were taken back included.
const maxRules = 1000

// setRule writes a rule. With a condition the rule must exist already.
func (s *Service) setRule(ctx context.Context, p person, calendar string, r ruleRow, ifMatch string) (*ruleJSON, error) {
	c, _, err := s.open(ctx, p, calendar, RoleOwner)
	if err != nil {
		return nil, err
	}
	owner, err := personByID(ctx, s.world.DB, c.ownerID)
	if err != nil {
		return nil, err
	}
	if r.scope == ScopeUser && r.role != RoleOwner && (r.value == p.address || r.value == owner.address) {
		return nil, refuse(CodeCannotChange, "", "Neither your own access nor the data owner's can be lowered.")
	}
	now := s.moment()
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
			if !matches(ifMatch, etag(old.updated, old.seq)) {
				return errCondition()
			}
		}
		if n, err := countRules(ctx, tx, c.id); err != nil {
			return err
		} else if _, err := ruleByScope(ctx, tx, c.id, r.scope, r.value); err != nil && n >= maxRules {
			return refuse(CodeQuota, "", "Calendar usage limits exceeded: one calendar has %d rules at most.", maxRules)
		}
		return s.grant(ctx, tx, c.id, r, now)
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

// grant writes a rule, announces it, and ends what somebody could see only
// before: an entry of their list, and channels.
func (s *Service) grant(ctx context.Context, tx *database.Tx, calendar string, r ruleRow, now time.Time) (err error) {
	if r.seq, err = nextACLSeq(ctx, tx, calendar); err != nil {
		return err
	}
	if err := putRule(ctx, tx, calendar, r); err != nil {
		return err
	}
	if err := s.announce(ctx, tx, aclOf(calendar), now); err != nil {
		return err
	}
	if r.role == RoleNone {
		if err := s.unlistLost(ctx, tx, calendar, now); err != nil {
			return err
		}
	}
	return s.endLost(ctx, tx, calendar, now)
}

// unlistLost takes a calendar from the lists of people who may see it no
// longer, whoever the rule was about.
func (s *Service) unlistLost(ctx context.Context, tx *database.Tx, calendar string, now time.Time) error {
	holders, err := entryHolders(ctx, tx, calendar)
	if err != nil {
		return err
	}
	for _, user := range holders {
		p, err := personByID(ctx, tx, user)
		if err != nil {
			return err
		}
		role, _, err := s.roleOf(ctx, tx, p, calendar)
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

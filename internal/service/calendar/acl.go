package calendar

import (
	"cmp"
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/calendar/acl"
	"stoa.dev/stoa/internal/service/calendar/listentry"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/permission"
	"stoa.dev/stoa/internal/service/calendar/refusal"
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
		return nil, refusal.FullSync()
	}
	var rules []acl.Rule
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if c, err = calendarByID(ctx, tx, c.id); err != nil {
			return err
		}
		rules, err = acl.List(ctx, tx, c.id, cur.After, deleted || cur.Sync, l.Size+1)
		return err
	})
	if err != nil {
		return nil, err
	}
	if l.PageToken == "" {
		cur.Seq, cur.Role = c.aclSeq, string(role)
	}
	out := &aclJSON{Kind: "calendar#acl", ETag: listing.ETag(c.updated, c.aclSeq), Items: []*ruleJSON{}}
	rules, out.NextPageToken, out.NextSyncToken = listing.Paginate(s.tokens, l, cur, rules,
		func(r acl.Rule) int64 { return r.Seq })
	for _, r := range rules {
		out.Items = append(out.Items, acl.ToWire(r))
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
	r, err := acl.ByScope(ctx, s.world.DB, c.id, scope, value)
	if err != nil {
		return nil, err
	}
	return acl.ToWire(r), nil
}

// InsertACL makes or replaces the rule of a scope.
func (s *Service) InsertACL(ctx context.Context, u user, calendar string, doc ruleJSON) (*ruleJSON, error) {
	// Who may not change the calendar learns nothing about the rule.
	if _, _, err := s.openCalendar(ctx, u, calendar, RoleOwner); err != nil {
		return nil, err
	}
	r, err := acl.Check(doc)
	if err != nil {
		return nil, err
	}
	return s.setRule(ctx, u, calendar, r, nil)
}

// UpdateACL changes the role of a rule, which is all that can change: an update and a patch do the same.
func (s *Service) UpdateACL(
	ctx context.Context, u user, calendar, id string, doc ruleJSON, ifMatch string,
) (*ruleJSON, error) {
	r, err := acl.CheckUpdate(id, doc)
	if err != nil {
		return nil, err
	}
	return s.setRule(ctx, u, calendar, r, ruleCondition(ifMatch))
}

// DeleteACL ends a rule.
func (s *Service) DeleteACL(ctx context.Context, u user, calendar, id, ifMatch string) error {
	scope, value := permission.ParseRuleID(id)
	_, err := s.setRule(ctx, u, calendar, acl.Rule{Scope: scope, Value: value, Role: RoleNone}, ruleCondition(ifMatch))
	return err
}

// ruleCondition is met by a rule with the tag, and by every rule without one.
func ruleCondition(ifMatch string) func(acl.Rule) error {
	return func(old acl.Rule) error {
		if !wire.MatchTag(cmp.Or(ifMatch, "*"), old.Tag()) {
			return refusal.Condition()
		}
		return nil
	}
}

// setRule writes a rule. With a condition the rule must exist already.
func (s *Service) setRule(
	ctx context.Context, u user, calendar string, r acl.Rule, condition func(acl.Rule) error,
) (*ruleJSON, error) {
	if _, _, err := s.openCalendar(ctx, u, calendar, RoleOwner); err != nil {
		return nil, err
	}
	r.Updated = s.now()
	var written acl.Rule
	err := s.changeOwned(ctx, u, calendar, func(ctx context.Context, tx *database.Tx, c calendarRow) error {
		owner, err := userByID(ctx, tx, c.ownerID)
		if err != nil {
			return err
		}
		if r.Scope == ScopeUser && r.Role != RoleOwner && (r.Value == u.address || r.Value == owner.address) {
			return refusal.New(refusal.CodeCannotChange, "",
				"Neither your own access nor the data owner's can be lowered.")
		}
		if err := s.rules.Set(ctx, tx, c.id, r, condition); err != nil {
			return err
		}
		written, err = acl.ByScope(ctx, tx, c.id, r.Scope, r.Value)
		return err
	})
	if err != nil {
		return nil, err
	}
	return acl.ToWire(written), nil
}

// ruleSaved notifies the channels of a calendar's rules, and ends what a user could see
// only before: an entry of their list, and channels.
func (s *Service) ruleSaved(ctx context.Context, tx *database.Tx, calendar string, r acl.Rule) error {
	if err := s.channels.Changed(ctx, tx, aclOf(calendar), r.Updated); err != nil {
		return err
	}
	if r.Role == RoleNone {
		if err := s.unlistWithoutAccess(ctx, tx, calendar, r.Updated); err != nil {
			return err
		}
	}
	return s.endWithoutAccess(ctx, tx, calendar, r.Updated)
}

// unlistWithoutAccess takes a calendar from the lists of all users who may see it
// no longer: a rule may be about many.
func (s *Service) unlistWithoutAccess(ctx context.Context, tx *database.Tx, calendar string, now time.Time) error {
	holders, err := listentry.Holders(ctx, tx, calendar)
	if err != nil {
		return err
	}
	for _, user := range holders {
		u, err := userByID(ctx, tx, user)
		if err != nil {
			return err
		}
		role, _, err := s.rules.RoleOf(ctx, tx, u.id, u.address, calendar)
		if err != nil {
			return err
		}
		if role != RoleNone {
			continue
		}
		if err := s.entries.Remove(ctx, tx, user, calendar, now); err != nil {
			return err
		}
	}
	return nil
}

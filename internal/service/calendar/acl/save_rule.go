package acl

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/permission"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// Saved is called in the transaction in which a rule was written.
type Saved func(ctx context.Context, tx *database.Tx, calendar string, r Rule) error

// maxRules is how many rules a calendar may have, those that were taken back included.
const maxRules = 1000

// Set writes a rule. With a condition the rule must exist already, and meet it; one
// that would not change stays as it is.
func (s *Rules) Set(
	ctx context.Context, tx *database.Tx, calendar string, r Rule, condition func(old Rule) error,
) error {
	if condition != nil {
		old, err := ByScope(ctx, tx, calendar, r.Scope, r.Value)
		if err != nil {
			return err
		}
		if old.Role == permission.RoleNone {
			return refusal.NotFound()
		}
		if err := condition(old); err != nil || old.Role == r.Role {
			return err
		}
	}
	if n, err := count(ctx, tx, calendar); err != nil {
		return err
	} else if _, err := ByScope(ctx, tx, calendar, r.Scope, r.Value); err != nil && n >= maxRules {
		return refusal.Quota("one calendar has %d rules at most.", maxRules)
	}
	return s.Save(ctx, tx, calendar, r)
}

// Save writes a rule without a question, and does what follows from it.
func (s *Rules) Save(ctx context.Context, tx *database.Tx, calendar string, r Rule) error {
	if err := Put(ctx, tx, calendar, r); err != nil {
		return err
	}
	return s.saved(ctx, tx, calendar, r)
}

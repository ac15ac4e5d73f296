package pipelines

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// right is what a caller may do with a project; each includes those before it.
type right int

const (
	rightNone right = iota
	rightStatus
	rightRead
	rightWrite
	rightAdmin
)

// find is the repository of a path for a caller who needs a right. What the
// caller may not see does not exist; whoever has not signed in is asked to.
func (s *Service) find(ctx context.Context, c *identity.Caller, owner, name string, need right) (forge.Repository, error) {
	r, _, err := s.forge.Find(ctx, owner, name)
	if errors.Is(err, forge.ErrNotFound) || errors.Is(err, forge.ErrInvalid) {
		return r, hidden(c)
	}
	if err != nil {
		return r, err
	}
	have, err := s.ownRight(ctx, c, r)
	if err == nil && have < need {
		// What everybody may do takes another look at the store.
		have, err = s.rightOf(ctx, c, r)
	}
	switch {
	case err != nil:
		return r, err
	case have >= need:
		return r, nil
	case have < rightStatus:
		return r, hidden(c)
	case c == nil:
		return r, errLogin()
	}
	return r, errForbidden(lacking(c, need))
}

func hidden(c *identity.Caller) error {
	if c == nil {
		return errLogin()
	}
	return errProject()
}

// lacking says what would be needed.
func lacking(c *identity.Caller, need right) string {
	if c.Kind == identity.KindProject {
		return "the project token's scope does not allow this"
	}
	switch need {
	case rightAdmin:
		return "this needs administration rights to the repository"
	case rightWrite:
		return "this needs write access to the repository"
	case rightNone, rightStatus, rightRead:
	}
	return "the token's scope does not allow this"
}

// rightOf is what a caller may do with a project: what the person may do with
// the repository, cut down to what the token may do.
func (s *Service) rightOf(ctx context.Context, c *identity.Caller, r forge.Repository) (right, error) {
	open, err := s.openRight(ctx, r)
	if err != nil {
		return open, err
	}
	own, err := s.ownRight(ctx, c, r)
	return max(open, own), err
}

// ownRight is what a caller may do beyond what everybody may.
func (s *Service) ownRight(ctx context.Context, c *identity.Caller, r forge.Repository) (have right, err error) {
	switch {
	case c == nil:
		return rightNone, nil
	case c.Kind == identity.KindProject:
		have, err = s.boundRight(ctx, c, r)
	default:
		have, err = s.personRight(ctx, c, r)
	}
	return min(have, tokenRight(c)), err
}

// tokenRight is the most that a token can do.
func tokenRight(c *identity.Caller) right {
	switch {
	case c.HasScope(ScopeAll):
		return rightAdmin
	case c.HasScope(ScopeRead):
		return rightRead
	case c.HasScope(ScopeStatus):
		return rightStatus
	}
	return rightNone
}

// openRight is what anybody may do: read, where repository and setting are
// public.
func (s *Service) openRight(ctx context.Context, r forge.Repository) (right, error) {
	if r.Private {
		return rightNone, nil
	}
	p, err := projectByID(ctx, s.world.DB, r.ID)
	if errors.Is(err, database.ErrNotFound) {
		return rightRead, nil
	}
	if err != nil || !parseSettings(p.settings).flag(flagOSS) {
		return rightNone, err
	}
	return rightRead, nil
}

// boundRight is for tokens of one project.
func (s *Service) boundRight(ctx context.Context, c *identity.Caller, r forge.Repository) (right, error) {
	own, err := s.forge.BoundTo(ctx, c)
	if errors.Is(err, forge.ErrNotFound) || errors.Is(err, forge.ErrInvalid) {
		return rightNone, nil
	}
	if err != nil || own.ID != r.ID {
		return rightNone, err
	}
	return rightAdmin, nil
}

func (s *Service) personRight(ctx context.Context, c *identity.Caller, r forge.Repository) (right, error) {
	may, err := s.forge.Access(ctx, c, r)
	switch may {
	case forge.Admin:
		return rightAdmin, err
	case forge.Write:
		return rightWrite, err
	case forge.Read:
		return rightRead, err
	case forge.None:
	}
	return rightNone, err
}

// bound reports whether a token belongs to one repository: a project's own, or
// one that was made for a run.
func bound(c *identity.Caller) bool {
	return c.Kind == identity.KindProject || c.Kind == identity.KindWorkflow
}

// personal refuses tokens that speak for a repository and not for a user.
func personal(c *identity.Caller) error {
	switch {
	case c == nil:
		return errLogin()
	case bound(c), c.UserID == 0:
		return errPersonal()
	case !c.HasScope(ScopeAll) && !c.HasScope(ScopeRead):
		return errForbidden("the token's scope does not allow this")
	}
	return nil
}

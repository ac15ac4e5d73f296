package project

import (
	"context"
	"errors"
	"math"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// What tokens may do. A personal token usually carries them all; a project token has one.
const (
	// ScopeStatus shows whether branches are green.
	ScopeStatus = "status"
	// ScopeRead shows jobs, their output and artifacts.
	ScopeRead = "view-builds"
	// ScopeAll does everything that the user behind the token may do.
	ScopeAll = "all"
)

// Right is what a caller may do with a project; each includes those before it.
type Right int

// The rights.
const (
	RightNone Right = iota
	RightStatus
	RightRead
	RightWrite
	RightAdmin
)

// Find is the repository of a path for a caller who needs a right.
func (p *Projects) Find(ctx context.Context, c *identity.Caller, owner, name string, need Right) (forge.Repository,
	error) {
	r, _, err := p.forge.Find(ctx, owner, name)
	if errors.Is(err, forge.ErrNotFound) || errors.Is(err, forge.ErrInvalid) {
		// The right to a project that is not there is read too, and nothing is made of it: a
		// refusal that came sooner would tell it from one that is hidden. To find that it is not
		// there took the other statement.
		_, _ = p.ownRight(ctx, c, forge.Repository{Private: true}) // the answer is the same whatever is read
		return r, hidden(c)
	}
	if err != nil {
		return r, err
	}
	have, err := p.ownRight(ctx, c, r)
	if err == nil && have < need {
		// The public right takes another read of the store.
		have, err = p.rightOf(ctx, c, r)
	}
	switch {
	case err != nil:
		return r, err
	case have >= need:
		return r, nil
	case have < RightStatus:
		return r, hidden(c)
	case c == nil:
		return r, ErrLogin()
	}
	return r, errForbidden("%s", lacking(c, need))
}

func hidden(c *identity.Caller) error {
	if c == nil {
		return ErrLogin()
	}
	return errNotFound("Project not found")
}

// lacking says what would be needed.
func lacking(c *identity.Caller, need Right) string {
	if c.Kind == identity.KindProject {
		return "the project token's scope does not allow this"
	}
	switch need {
	case RightAdmin:
		return "this needs administration rights to the repository"
	case RightWrite:
		return "this needs write access to the repository"
	case RightNone, RightStatus, RightRead:
	}
	return "the token's scope does not allow this"
}

// Visible is a repository that the caller may read; one with the id zero when there is none any more.
func (p *Projects) Visible(ctx context.Context, c *identity.Caller, repoID int64) (forge.Repository, error) {
	repo, err := p.forge.Repository(ctx, repoID)
	if errors.Is(err, forge.ErrNotFound) {
		return forge.Repository{}, nil
	}
	if err != nil {
		return repo, err
	}
	have, err := p.rightOf(ctx, c, repo)
	if err != nil || have < RightRead {
		return forge.Repository{}, err
	}
	return repo, nil
}

// rightOf is what a caller may do with a project: what the user may do with the repository, cut down to what the
// token may do, and at least what everyone may do.
func (p *Projects) rightOf(ctx context.Context, c *identity.Caller, r forge.Repository) (Right, error) {
	public, err := p.publicRight(ctx, r)
	if err != nil {
		return public, err
	}
	own, err := p.ownRight(ctx, c, r)
	return max(public, own), err
}

// ownRight is what a caller may do beyond what everyone may.
func (p *Projects) ownRight(ctx context.Context, c *identity.Caller, r forge.Repository) (have Right, err error) {
	switch {
	case c == nil:
		_, err = p.forge.Access(ctx, nil, r) // as for callers who have a right to nothing
		return RightNone, err
	case c.Kind == identity.KindProject:
		have, err = p.boundRight(ctx, c, r)
	default:
		have, err = p.userRight(ctx, c, r)
	}
	return min(have, tokenRight(c)), err
}

// tokenRight is the largest right that a token's scopes allow.
func tokenRight(c *identity.Caller) Right {
	switch {
	case c.HasScope(ScopeAll):
		return RightAdmin
	case c.HasScope(ScopeRead):
		return RightRead
	case c.HasScope(ScopeStatus):
		return RightStatus
	}
	return RightNone
}

// publicRight is what everyone may do: read, where repository and setting are public.
func (p *Projects) publicRight(ctx context.Context, r forge.Repository) (Right, error) {
	if r.Private {
		return RightNone, nil
	}
	row, err := ByID(ctx, p.world.DB, r.ID)
	if errors.Is(err, database.ErrNotFound) {
		return RightRead, nil
	}
	if err != nil || !row.Settings().Flag(FlagOSS) {
		return RightNone, err
	}
	return RightRead, nil
}

// boundRight is for tokens of one project.
func (p *Projects) boundRight(ctx context.Context, c *identity.Caller, r forge.Repository) (Right, error) {
	own, err := p.forge.BoundTo(ctx, c)
	if errors.Is(err, forge.ErrNotFound) || errors.Is(err, forge.ErrInvalid) {
		return RightNone, nil
	}
	if err != nil || own.ID != r.ID {
		return RightNone, err
	}
	return RightAdmin, nil
}

func (p *Projects) userRight(ctx context.Context, c *identity.Caller, r forge.Repository) (Right, error) {
	may, err := p.forge.Access(ctx, c, r)
	switch may {
	case forge.Admin:
		return RightAdmin, err
	case forge.Write:
		return RightWrite, err
	case forge.Read:
		return RightRead, err
	case forge.None:
	}
	return RightNone, err
}

// Those whom signed addresses are made for, and who are no users.
const (
	// Everyone sent no credential: such an address shows what is public.
	Everyone int64 = 0
	// NoUser is a credential without a user, and the receiver of a message.
	NoUser int64 = math.MaxInt64
)

// Reader is the user whose rights a signed address follows, Everyone or NoUser. A project's token is good while its
// maker administers the repository, so the maker is its reader.
func Reader(c *identity.Caller) int64 {
	switch {
	case c == nil:
		return Everyone
	case c.Kind == identity.KindWorkflow, c.Kind == identity.KindInstallation, c.UserID == 0:
		return NoUser
	}
	return c.UserID
}

// StillReads reports whether a Reader may read a project now.
func (p *Projects) StillReads(ctx context.Context, reader int64, r forge.Repository) (bool, error) {
	switch reader {
	case NoUser:
		return true, nil
	case Everyone:
		have, err := p.publicRight(ctx, r)
		return have >= RightRead, err
	}
	u, err := p.identity.User(ctx, reader)
	if errors.Is(err, identity.ErrNotFound) || err == nil && u.Disabled {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	have, err := p.rightOf(ctx, &identity.Caller{
		UserID: u.ID, UserName: u.Name, Admin: u.Admin, Kind: identity.KindPersonal,
		Services: []string{p.service}, Scopes: identity.EveryScope(),
	}, r)
	return have >= RightRead, err
}

// Bound reports whether a token belongs to one repository: a project's own, or one that was made for a run.
func Bound(c *identity.Caller) bool {
	return c.Kind == identity.KindProject || c.Kind == identity.KindWorkflow
}

// Personal refuses tokens that speak for a repository and not for a user.
func Personal(c *identity.Caller) error {
	switch {
	case c == nil:
		return ErrLogin()
	case Bound(c), c.UserID == 0:
		return errForbidden("this call needs a personal token, and a project token was sent")
	case !c.HasScope(ScopeAll) && !c.HasScope(ScopeRead):
		return errForbidden("the token's scope does not allow this")
	}
	return nil
}

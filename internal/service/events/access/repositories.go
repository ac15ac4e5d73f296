package access

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// Options are what the rules ask; all are needed.
type Options struct {
	Identity *identity.Identity
	Forge    *forge.Forge
	// ShownInEvents reports whether a user is the actor of a public event.
	ShownInEvents func(ctx context.Context, userID int64) (bool, error)
	// Bot is the account of an application by its name.
	Bot func(ctx context.Context, name string) (identity.User, error)
	// OrgScope is a scope beside metadata:read that shows memberships.
	OrgScope string
}

// Rules decide what callers may see.
type Rules struct{ Options }

// New makes the rules.
func New(o Options) *Rules { return &Rules{o} }

// Find is a repository by its name, also by a former one.
func (a *Rules) Find(
	ctx context.Context, c *identity.Caller, owner, name string,
) (r forge.Repository, may forge.Permission, moved bool, err error) {
	if r, moved, err = a.Forge.Find(ctx, owner, name); err != nil {
		return r, forge.None, false, refusal.FromForge(err)
	}
	may, err = a.Of(ctx, c, r)
	return r, may, moved, err
}

// Repository is a repository by its number.
func (a *Rules) Repository(
	ctx context.Context, c *identity.Caller, id int64,
) (r forge.Repository, may forge.Permission, err error) {
	if r, err = a.Forge.Repository(ctx, id); err != nil {
		return r, forge.None, refusal.FromForge(err)
	}
	may, err = a.Of(ctx, c, r)
	return r, may, err
}

// Of is what the caller may do with a repository, cut down to what the token may do.
func (a *Rules) Of(ctx context.Context, c *identity.Caller, r forge.Repository) (forge.Permission, error) {
	may, err := a.Forge.Access(ctx, c, r)
	switch {
	case err != nil:
		return may, err
	case may < forge.Read:
		return may, refusal.NotFound()
	case r.Private && !c.HasScope(forge.ScopeMetadataRead):
		return may, refusal.MissingScope(forge.ScopeMetadataRead)
	}
	return may, nil
}

// Viewer is the caller as one who looks at lists. A token that may not see private
// repositories sees the public ones.
func (a *Rules) Viewer(ctx context.Context, c *identity.Caller) (forge.Viewer, error) {
	if c == nil || !c.HasScope(forge.ScopeMetadataRead) {
		return forge.Viewer{}, nil
	}
	return a.Forge.Viewer(ctx, c)
}

// Ancestor is what a fork comes from; false when there is none that the caller may see.
func (a *Rules) Ancestor(
	ctx context.Context, c *identity.Caller, id int64,
) (r forge.Repository, may forge.Permission, ok bool, err error) {
	r, may, err = a.Repository(ctx, c, id)
	var hidden *refusal.Error
	if errors.As(err, &hidden) {
		return r, may, false, nil
	}
	return r, may, err == nil, err
}

// Create makes a repository of the caller, or of an organization that the caller owns.
func (a *Rules) Create(
	ctx context.Context, c *identity.Caller, org string, n forge.NewRepository,
) (forge.Repository, error) {
	switch {
	case org != "":
		owner, err := a.OwnedOrg(ctx, UserOf(c), org)
		if err != nil {
			return forge.Repository{}, err
		}
		n.Owner = owner.Name
	case UserOf(c) == 0:
		return forge.Repository{}, refusal.UserOnly(forge.ScopeAdministration)
	default:
		n.Owner = c.UserName
	}
	if !c.HasScope(forge.ScopeAdministration) {
		return forge.Repository{}, refusal.MissingScope(forge.ScopeAdministration)
	}
	n.Actor = forge.ActorOf(c)
	r, err := a.Forge.Create(ctx, n)
	return r, refusal.FromForge(err)
}

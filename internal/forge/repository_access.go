package forge

import (
	"context"
	"errors"
	"slices"

	"stoa.dev/stoa/internal/identity"
)

// Scopes that tokens need for repositories. The service that offers repositories
// as an API declares them, because the tokens are issued for it.
const (
	ScopeMetadataRead   = "metadata:read"
	ScopeContentsRead   = "contents:read"
	ScopeContentsWrite  = "contents:write"
	ScopeAdministration = "administration:write"
	ScopeStarring       = "starring:write"
)

// ServiceTokens are the tokens of a service that open repositories over git. A
// scope counts for this service only, whatever else the token is good for.
type ServiceTokens struct {
	Service string
	// Read and Write are the scopes of which one allows to fetch and to push.
	Read, Write []string
	// PersonalWrite are scopes that allow to push with a personal token only.
	PersonalWrite []string
}

// right is the most that the scopes of a token allow.
func (t ServiceTokens) right(c *identity.Caller) Permission {
	switch {
	case !c.For(t.Service):
		return None
	case slices.ContainsFunc(t.Write, c.HasScope),
		c.Kind == identity.KindPersonal && slices.ContainsFunc(t.PersonalWrite, c.HasScope):
		return Write
	case slices.ContainsFunc(t.Read, c.HasScope):
		return Read
	}
	return None
}

// Access is what the caller behind a request may do with a repository, before
// the scopes of the token are looked at. A nil caller is anonymous.
func (f *Forge) Access(ctx context.Context, c *identity.Caller, r Repository) (Permission, error) {
	if c == nil {
		return f.everyone(ctx, r)
	}
	switch c.Kind {
	case identity.KindWorkflow, identity.KindProject:
		return f.boundAccess(ctx, c, r)
	case identity.KindInstallation:
		return f.installedAccess(ctx, c, r)
	case identity.KindClient, identity.KindApp, identity.KindRefresh, identity.KindAPI, identity.KindApplication:
		return f.everyone(ctx, r)
	case identity.KindAccess, identity.KindPersonal:
	}
	return f.PermissionOf(ctx, c.UserID, r)
}

// PermissionOf is what a user may do with a repository.
func (f *Forge) PermissionOf(ctx context.Context, userID int64, r Repository) (Permission, error) {
	best := public(r)
	if userID == 0 {
		return best, nil
	}
	if r.Owner.Kind == OwnerUser && r.Owner.ID == userID {
		return Admin, nil
	}
	if r.Owner.Kind == OwnerOrg {
		role, err := f.identity.OrgRoleOf(ctx, r.Owner.ID, userID)
		switch {
		case err == nil && role == identity.OrgOwner:
			return Admin, nil
		case err == nil:
			best = max(best, Read)
		case !errors.Is(err, identity.ErrNotFound):
			return None, err
		}
	}
	granted, err := memberPermission(ctx, f.world.DB, r.ID, userID)
	return max(best, granted), err
}

// Binding is the id of the repository that a token was issued for, zero when
// the service has not issued it.
type Binding func(ctx context.Context, tokenID int64) (repositoryID int64, err error)

// makerLeft is ErrNotFound where the maker of a project's token no longer
// administers the repository.
func (f *Forge) makerLeft(ctx context.Context, c *identity.Caller, r Repository) error {
	if c.Kind != identity.KindProject || r.ID == 0 {
		return nil
	}
	if have, err := f.PermissionOf(ctx, c.UserID, r); err != nil || have == Admin {
		return err
	}
	return &Error{Code: CodeNotFound, Message: "the maker of the token has no right to the repository any more"}
}

// BoundTo is the repository that a token of one repository belongs to: the one
// that it was issued for, where that is known, and else the one of its name,
// which must be older than the token. A repository that takes over a name takes
// over no tokens. ErrNotFound when there is none.
func (f *Forge) BoundTo(ctx context.Context, c *identity.Caller) (Repository, error) {
	for _, binding := range f.bindings {
		id, err := binding(ctx, c.TokenID)
		if err != nil {
			return Repository{}, err
		}
		if id != 0 {
			r, err := f.Repository(ctx, id)
			return r, errors.Join(err, f.makerLeft(ctx, c, r))
		}
	}
	own, _, err := f.FindPath(ctx, c.Repo)
	if err == nil && own.CreatedAt.After(c.CreatedAt) {
		return Repository{}, &Error{
			Code: CodeNotFound, Message: "the token was issued for another repository of this name",
		}
	}
	return own, err
}

// boundAccess is for tokens that belong to one repository.
func (f *Forge) boundAccess(ctx context.Context, c *identity.Caller, r Repository) (Permission, error) {
	own, err := f.BoundTo(ctx, c)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrInvalid) {
		return public(r), nil
	}
	switch {
	case err != nil:
		return None, err
	case own.ID != r.ID:
		return public(r), nil
	case c.Kind == identity.KindWorkflow:
		return Write, nil
	}
	return Read, nil
}

func public(r Repository) Permission {
	if r.Private {
		return None
	}
	return Read
}

// everyone is what all callers may do. Members of a private repository are looked up and
// nothing is made of them: a refusal that came sooner would tell it from one that is not there.
func (f *Forge) everyone(ctx context.Context, r Repository) (Permission, error) {
	if !r.Private {
		return Read, nil
	}
	_, err := memberPermission(ctx, f.world.DB, r.ID, 0)
	return None, err
}

// gitRight is what a caller may do with a repository over git: what the user
// or application may do with it, at most what the credential itself allows.
// What is public is read with any credential, as without one. It is the one
// decision at /git/.
func (f *Forge) gitRight(ctx context.Context, c *identity.Caller, r Repository) (Permission, error) {
	if c == nil {
		return f.everyone(ctx, r)
	}
	right := f.credentialRight(c)
	if right == None {
		return f.everyone(ctx, r)
	}
	access, err := f.Access(ctx, c, r)
	return max(public(r), min(access, right)), err
}

// credentialRight is the most that a credential allows over git.
func (f *Forge) credentialRight(c *identity.Caller) Permission {
	switch c.Kind {
	case identity.KindPersonal, identity.KindAccess, identity.KindProject, identity.KindInstallation,
		identity.KindWorkflow:
	case identity.KindRefresh, identity.KindAPI, identity.KindApplication, identity.KindClient, identity.KindApp:
		return None
	default:
		return None
	}
	if c.TeamID != 0 || c.Scopes.Unlimited() {
		return None // of a team, or of no list at all: neither was issued for repositories
	}
	right := None
	for _, t := range f.tokens {
		right = max(right, t.right(c))
	}
	return right
}

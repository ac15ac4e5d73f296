package events

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
)

// repository finds the repository of a path for a caller. What the caller may
// not read does not exist; an old address is errMoved to what location says.
func (s *Service) repository(
	ctx context.Context, c *identity.Caller, owner, name string, location func(forge.Repository) string,
) (forge.Repository, forge.Permission, error) {
	r, moved, err := s.forge.Find(ctx, owner, name)
	if err != nil {
		return r, forge.None, fromForge(err)
	}
	access, err := s.access(ctx, c, r)
	if err != nil {
		return r, access, err
	}
	if moved {
		return r, access, errMoved(location(r))
	}
	return r, access, nil
}

// access is what the caller may do with a repository, cut down to what the
// token may do.
func (s *Service) access(ctx context.Context, c *identity.Caller, r forge.Repository) (forge.Permission, error) {
	may, err := s.forge.Access(ctx, c, r)
	switch {
	case err != nil:
		return may, err
	case may < forge.Read:
		return may, errNotFound()
	case r.Private && !c.HasScope(forge.ScopeMetadataRead):
		return may, errMissingPermission("metadata=read")
	}
	return may, nil
}

// ownedOrg is the organization of a name, for an owner of it. For users who are not
// members it is not found.
func (s *Service) ownedOrg(ctx context.Context, userID int64, name string) (forge.Owner, error) {
	owner, err := s.forge.Owner(ctx, name)
	if err != nil {
		return owner, fromForge(err)
	}
	if owner.Kind != forge.OwnerOrg {
		return owner, errNotFound()
	}
	role, err := s.identity.OrgRoleOf(ctx, owner.ID, userID)
	switch {
	case errors.Is(err, identity.ErrNotFound):
		return owner, errNotFound()
	case err != nil:
		return owner, err
	case role != identity.OrgOwner:
		return owner, errForbidden("You need owner rights in this organization.")
	}
	return owner, nil
}

package events

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/objects"
)

// account is whom a name belongs to: a user, an organization or an application.
type account struct {
	kind forge.OwnerKind
	user identity.User
	org  identity.Org
}

// appAccount is the kind of accounts of applications.
const appAccount forge.OwnerKind = "app"

func (a account) id() int64 {
	if a.kind == forge.OwnerOrg {
		return a.org.ID
	}
	return a.user.ID
}

func (a account) name() string {
	if a.kind == forge.OwnerOrg {
		return a.org.Name
	}
	return a.user.Name
}

// account finds whom a name belongs to. Without a credential users are shown who
// appear in what is public; the others are not found, as names without a user are, so
// that accounts cannot be listed.
func (s *Service) account(ctx context.Context, c *identity.Caller, name string) (account, error) {
	if strings.HasSuffix(name, objects.BotSuffix) {
		user, err := s.apps.Account(ctx, name)
		if errors.Is(err, identity.ErrNotFound) {
			err = errNotFound()
		}
		return account{kind: appAccount, user: user}, err
	}
	org, err := s.identity.OrgByName(ctx, name)
	if err == nil {
		return account{kind: forge.OwnerOrg, org: org}, nil
	}
	if !errors.Is(err, identity.ErrNotFound) {
		return account{}, err
	}
	user, err := s.identity.UserByName(ctx, name)
	if errors.Is(err, identity.ErrNotFound) {
		return account{}, errNotFound()
	}
	if err != nil || c != nil {
		return account{kind: forge.OwnerUser, user: user}, err
	}
	shown, err := s.forge.HasPublicPart(ctx, user.ID)
	if err == nil && !shown {
		shown, err = hasPublicEvents(ctx, s.world.DB, user.ID)
	}
	if err == nil && !shown {
		err = errNotFound()
	}
	return account{kind: forge.OwnerUser, user: user}, err
}

// viewer is the caller as one who looks at lists. A token that may not see private
// repositories sees the public ones.
func (s *Service) viewer(ctx context.Context, c *identity.Caller) (forge.Viewer, error) {
	if c == nil || !c.HasScope(forge.ScopeMetadataRead) {
		return forge.Viewer{}, nil
	}
	return s.forge.Viewer(ctx, c)
}

// caller is the user for whom a request acts. Tokens of a repository or an app act for
// none.
func (s *Service) caller(ctx context.Context, c *identity.Caller) (identity.User, error) {
	if c == nil {
		return identity.User{}, route.ErrNoCredential
	}
	id := userOf(c)
	if id == 0 {
		return identity.User{}, errUserOnly("")
	}
	return s.identity.User(ctx, id)
}

// sharedOrgs are the organizations of a user that the caller belongs to as well:
// memberships are shown to members only.
func (s *Service) sharedOrgs(ctx context.Context, c *identity.Caller, userID int64) ([]identity.Org, error) {
	out := []identity.Org{}
	if userOf(c) == 0 || !c.HasScope(ScopeOrgEventsRead) && !c.HasScope(forge.ScopeMetadataRead) {
		return out, nil
	}
	theirs, err := s.identity.OrgsOf(ctx, userID)
	if err != nil {
		return nil, err
	}
	for _, m := range theirs {
		if userID != c.UserID {
			_, err := s.identity.OrgRoleOf(ctx, m.Org.ID, c.UserID)
			if errors.Is(err, identity.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
		}
		out = append(out, m.Org)
	}
	return out, nil
}

// orgMembers are the members of an organization for a member of it, none for
// others.
func (s *Service) orgMembers(ctx context.Context, c *identity.Caller, orgID int64) ([]identity.OrgMembership, error) {
	if userOf(c) == 0 {
		return nil, nil
	}
	_, err := s.identity.OrgRoleOf(ctx, orgID, c.UserID)
	if errors.Is(err, identity.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.identity.OrgMembers(ctx, orgID)
}

// usersInOrder finds users and keeps the order of their ids; those that are gone are
// left out.
func (s *Service) usersInOrder(ctx context.Context, ids []int64) ([]identity.User, error) {
	found, err := s.identity.UsersByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]identity.User, len(found))
	for _, u := range found {
		byID[u.ID] = u
	}
	out := make([]identity.User, 0, len(ids))
	for _, id := range ids {
		if u, ok := byID[id]; ok {
			out = append(out, u)
		}
	}
	return out, nil
}

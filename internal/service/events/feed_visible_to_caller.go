package events

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/access"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// repoFeed is the feed of a repository. Those who could read it while it was
// private see what happened then.
func (s *Service) repoFeed(ctx context.Context, c *identity.Caller, r forge.Repository, p presentation) (feed, error) {
	f := feed{feedRepo, r.ID, p}
	if c == nil || !c.HasScope(forge.ScopeMetadataRead) {
		return f, nil
	}
	hidden := r
	hidden.Private = true
	may, err := s.forge.Access(ctx, c, hidden)
	if may >= forge.Read {
		f.kind = feedRepoAll
	}
	return f, err
}

// unknownUserID has empty feeds.
const unknownUserID = -1

// userFeed is what a user did; the private part is for the user alone. A name
// without a user has an empty feed, as a user without public events has, so that
// the answer does not show which accounts exist.
func (s *Service) userFeed(
	ctx context.Context, c *identity.Caller, name string, all, public feedKind, p presentation,
) (feed, error) {
	user, err := s.identity.UserByName(ctx, name)
	if errors.Is(err, identity.ErrNotFound) {
		user, err = s.apps.Account(ctx, name)
	}
	if errors.Is(err, identity.ErrNotFound) {
		return feed{public, unknownUserID, p}, nil
	}
	if err != nil {
		return feed{}, err
	}
	if access.UserOf(c) == user.ID && c.HasScope(ScopeEventsRead) {
		return feed{all, user.ID, p}, nil
	}
	return feed{public, user.ID, p}, nil
}

// orgFeed is the public activity of an organization.
func (s *Service) orgFeed(ctx context.Context, name string, p presentation) (feed, error) {
	org, err := s.identity.OrgByName(ctx, name)
	if errors.Is(err, identity.ErrNotFound) {
		return feed{}, errNotFound()
	}
	return feed{feedOrg, org.ID, p}, err
}

// userOrgFeed is everything that happens in an organization, for a member who
// is the named user.
func (s *Service) userOrgFeed(ctx context.Context, c *identity.Caller, name, org string, p presentation) (feed, error) {
	switch {
	case c == nil:
		return feed{}, route.ErrNoCredential
	case access.UserOf(c) == 0:
		return feed{}, refusal.UserOnly(ScopeOrgEventsRead)
	case !strings.EqualFold(c.UserName, name):
		return feed{}, errNotFound()
	case !c.HasScope(ScopeOrgEventsRead):
		return feed{}, errMissingPermission("organization_events=read")
	}
	f, err := s.orgFeed(ctx, org, p)
	if err != nil {
		return f, err
	}
	if _, err := s.identity.OrgRoleOf(ctx, f.id, c.UserID); errors.Is(err, identity.ErrNotFound) {
		return f, errNotFound()
	} else if err != nil {
		return f, err
	}
	f.kind = feedOrgAll
	return f, nil
}

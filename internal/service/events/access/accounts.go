package access

import (
	"context"
	"errors"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// App is the kind of accounts of applications.
const App forge.OwnerKind = "app"

// Account is whom a name belongs to: a user, an organization or an application.
type Account struct {
	Kind forge.OwnerKind
	User identity.User
	Org  identity.Org
}

// ID is the number of the user or the organization.
func (a Account) ID() int64 {
	if a.Kind == forge.OwnerOrg {
		return a.Org.ID
	}
	return a.User.ID
}

// Name is what the account is called.
func (a Account) Name() string {
	if a.Kind == forge.OwnerOrg {
		return a.Org.Name
	}
	return a.User.Name
}

// Account finds whom a name belongs to. Without a credential users are shown who
// appear in what is public; the others are not found, as names without a user are, so
// that accounts cannot be listed.
func (a *Rules) Account(ctx context.Context, c *identity.Caller, name string) (Account, error) {
	if strings.HasSuffix(name, objects.BotSuffix) {
		user, err := a.Bot(ctx, name)
		if errors.Is(err, identity.ErrNotFound) {
			err = refusal.NotFound()
		}
		return Account{Kind: App, User: user}, err
	}
	org, err := a.Identity.OrgByName(ctx, name)
	if err == nil {
		return Account{Kind: forge.OwnerOrg, Org: org}, nil
	}
	if !errors.Is(err, identity.ErrNotFound) {
		return Account{}, err
	}
	user, err := a.Identity.UserByName(ctx, name)
	if errors.Is(err, identity.ErrNotFound) {
		return Account{}, refusal.NotFound()
	}
	if err != nil || c != nil {
		return Account{Kind: forge.OwnerUser, User: user}, err
	}
	shown, err := a.Forge.HasPublicPart(ctx, user.ID)
	if err == nil && !shown {
		shown, err = a.ShownInEvents(ctx, user.ID)
	}
	if err == nil && !shown {
		err = refusal.NotFound()
	}
	return Account{Kind: forge.OwnerUser, User: user}, err
}

// Caller is the user for whom a request acts. Tokens of a repository or an app act for
// none.
func (a *Rules) Caller(ctx context.Context, c *identity.Caller) (identity.User, error) {
	if c == nil {
		return identity.User{}, route.ErrNoCredential
	}
	id := UserOf(c)
	if id == 0 {
		return identity.User{}, refusal.UserOnly("")
	}
	return a.Identity.User(ctx, id)
}

// SharedOrgs are the organizations of a user that the caller belongs to as well:
// memberships are shown to members only.
func (a *Rules) SharedOrgs(ctx context.Context, c *identity.Caller, userID int64) ([]identity.Org, error) {
	out := []identity.Org{}
	if UserOf(c) == 0 || !c.HasScope(a.OrgScope) && !c.HasScope(forge.ScopeMetadataRead) {
		return out, nil
	}
	theirs, err := a.Identity.OrgsOf(ctx, userID)
	if err != nil {
		return nil, err
	}
	for _, m := range theirs {
		if userID != c.UserID {
			_, err := a.Identity.OrgRoleOf(ctx, m.Org.ID, c.UserID)
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

// OrgMembers are the members of an organization for a member of it, none for
// others.
func (a *Rules) OrgMembers(ctx context.Context, c *identity.Caller, orgID int64) ([]identity.OrgMembership, error) {
	if UserOf(c) == 0 {
		return nil, nil
	}
	_, err := a.Identity.OrgRoleOf(ctx, orgID, c.UserID)
	if errors.Is(err, identity.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return a.Identity.OrgMembers(ctx, orgID)
}

// UsersInOrder finds users and keeps the order of their ids; those that are gone are
// left out.
func (a *Rules) UsersInOrder(ctx context.Context, ids []int64) ([]identity.User, error) {
	found, err := a.Identity.UsersByID(ctx, ids)
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

// UserOf is the user for whom a caller acts, zero when there is none: a token of one
// repository does not act for the user who had it issued.
func UserOf(c *identity.Caller) int64 {
	if c == nil || c.Kind == identity.KindWorkflow || c.Kind == identity.KindProject {
		return 0
	}
	return c.UserID
}

// OwnedOrg is the organization of a name, for an owner of it. For users who are not
// members it is not found.
func (a *Rules) OwnedOrg(ctx context.Context, userID int64, name string) (forge.Owner, error) {
	owner, err := a.Forge.Owner(ctx, name)
	if err != nil {
		return owner, refusal.FromForge(err)
	}
	if owner.Kind != forge.OwnerOrg {
		return owner, refusal.NotFound()
	}
	role, err := a.Identity.OrgRoleOf(ctx, owner.ID, userID)
	switch {
	case errors.Is(err, identity.ErrNotFound):
		return owner, refusal.NotFound()
	case err != nil:
		return owner, err
	case role != identity.OrgOwner:
		return owner, refusal.Forbidden("You need owner rights in this organization.")
	}
	return owner, nil
}

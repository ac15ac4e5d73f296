package apps

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// tokenRequest says how few permissions and repositories a token is for; all without.
type tokenRequest struct {
	Repositories  []string          `json:"repositories"`
	RepositoryIDs []int64           `json:"repository_ids"`
	Permissions   map[string]string `json:"permissions"`
}

// issued is a token of an installation with its secret.
type issued struct {
	token        identity.Token
	secret       string
	repositories []forge.Repository
}

// issue makes a token of an installation.
func (a *Apps) issue(ctx context.Context, app App, in forge.Installation, asked tokenRequest) (issued, error) {
	scopes, err := a.narrowed(app, asked.Permissions)
	if err != nil {
		return issued{}, err
	}
	var out issued
	if out.repositories, err = a.chosen(ctx, in, asked); err != nil {
		return issued{}, err
	}
	ids := make([]int64, 0, len(out.repositories))
	for _, r := range out.repositories {
		ids = append(ids, r.ID)
	}
	orgID, accountID := in.Account()
	err = a.host.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		var err error
		out.token, out.secret, err = a.host.Identity.IssueTokenIn(ctx, tx, identity.IssueOptions{
			Kind: identity.KindInstallation, Services: []string{a.service}, Scopes: scopes, ClientID: app.ClientID,
			OrgID: orgID, AccountID: accountID, TTL: TokenTTL,
		})
		if err != nil {
			return err
		}
		return a.host.Forge.LimitTokenIn(ctx, tx, out.token.ID, ids, out.token.ExpiresAt)
	})
	return out, err
}

// chosen are the repositories that a request names, each of the installation.
func (a *Apps) chosen(
	ctx context.Context, in forge.Installation, asked tokenRequest,
) ([]forge.Repository, error) {
	if len(asked.Repositories)+len(asked.RepositoryIDs) > maxRepositories {
		return nil, refusal.Invalid("repositories", "a token is for at most %d chosen repositories", maxRepositories)
	}
	owner, err := a.ownerName(ctx, in.Owner)
	if err != nil {
		return nil, err
	}
	var out []forge.Repository
	add := func(r forge.Repository, err error) error {
		covered := false
		if err == nil {
			covered, err = a.host.Forge.Covers(ctx, in, r)
		}
		if errors.Is(err, forge.ErrNotFound) || errors.Is(err, forge.ErrInvalid) || err == nil && !covered {
			return refusal.Invalid("repositories", "There is at least one repository that does not exist or is not "+
				"accessible to the parent installation.")
		}
		out = append(out, r)
		return err
	}
	for _, name := range asked.Repositories {
		r, _, err := a.host.Forge.Find(ctx, owner.Name, name)
		if err := add(r, err); err != nil {
			return nil, err
		}
	}
	for _, id := range asked.RepositoryIDs {
		if err := add(a.host.Forge.Repository(ctx, id)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ownerName is the owner with the name that it has now.
func (a *Apps) ownerName(ctx context.Context, o forge.Owner) (forge.Owner, error) {
	if o.Kind == forge.OwnerOrg {
		org, err := a.host.Identity.Org(ctx, o.ID)
		o.Name = org.Name
		return o, notFoundOr(err)
	}
	user, err := a.host.Identity.User(ctx, o.ID)
	o.Name = user.Name
	return o, notFoundOr(err)
}

func notFoundOr(err error) error {
	if errors.Is(err, identity.ErrNotFound) {
		return refusal.NotFound()
	}
	return refusal.FromForge(err)
}

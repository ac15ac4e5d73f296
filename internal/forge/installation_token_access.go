package forge

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// LimitTokenIn makes a token of an installation good for some of its repositories
// only, inside the caller's transaction.
func (f *Forge) LimitTokenIn(
	ctx context.Context, tx *database.Tx, tokenID int64, repositories []int64, expires time.Time,
) error {
	for _, id := range repositories {
		if err := insertTokenRepository(ctx, tx, tokenID, id, expires); err != nil {
			return err
		}
	}
	return nil
}

// installationOfCaller is where the app of an installation token is. An app that was
// never put on chosen repositories is on all of its own organization.
func (f *Forge) installationOfCaller(ctx context.Context, c *identity.Caller) (Installation, error) {
	owner := Owner{Kind: OwnerOrg, ID: c.OrgID}
	if c.AccountID != 0 {
		owner = Owner{Kind: OwnerUser, ID: c.AccountID}
	}
	in, err := installationOn(ctx, f.world.DB, c.ClientID, owner.Kind, owner.ID)
	if errors.Is(err, database.ErrNotFound) && owner.Kind == OwnerOrg {
		return Installation{ClientID: c.ClientID, Owner: owner}, nil
	}
	return in, err
}

// installedAccess is for apps: what the account gave them, and of that what the token
// is for.
func (f *Forge) installedAccess(ctx context.Context, c *identity.Caller, r Repository) (Permission, error) {
	in, err := f.installationOfCaller(ctx, c)
	if errors.Is(err, database.ErrNotFound) {
		return public(r), nil
	}
	if err != nil {
		return public(r), err
	}
	covered, err := f.Covers(ctx, in, r)
	if err == nil && covered {
		covered, err = tokenCovers(ctx, f.world.DB, c.TokenID, r.ID)
	}
	if err != nil || !covered {
		return public(r), err
	}
	return Write, nil
}

// installedView is what the token of an installation sees besides what is public.
func (f *Forge) installedView(ctx context.Context, c *identity.Caller) (Viewer, error) {
	in, err := f.installationOfCaller(ctx, c)
	if errors.Is(err, database.ErrNotFound) {
		return Viewer{}, nil
	}
	if err != nil {
		return Viewer{}, err
	}
	limited, err := tokenIsLimited(ctx, f.world.DB, c.TokenID)
	v := Viewer{Installed: &in}
	if limited {
		v.LimitedToken = c.TokenID
	}
	return v, err
}

// InstallationSize is how many repositories the app of a token is on and how many
// users its organization has.
func (f *Forge) InstallationSize(ctx context.Context, c *identity.Caller) (repositories, users int64, err error) {
	in, err := f.installationOfCaller(ctx, c)
	if err != nil {
		return 0, 0, ignoreNoRow(err)
	}
	if repositories, err = countMatching(ctx, f.world.DB, RepositoryQuery{InstalledOnly: &in}); err != nil {
		return 0, 0, err
	}
	if in.Owner.Kind != OwnerOrg {
		return repositories, 1, nil
	}
	members, err := f.identity.OrgMembers(ctx, in.Owner.ID)
	return repositories, int64(len(members)), err
}

func ignoreNoRow(err error) error {
	if errors.Is(err, database.ErrNotFound) {
		return nil
	}
	return err
}

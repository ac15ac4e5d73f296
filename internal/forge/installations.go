package forge

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// Installation is an app on the account of a user or an organization.
type Installation struct {
	ID       int64
	ClientID string
	// Owner has no name: names change.
	Owner Owner
	// Selected installations are on chosen repositories, the others on all.
	Selected             bool
	CreatedAt, UpdatedAt time.Time
}

// Install puts an app on chosen repositories of an account, or on all when none is
// chosen. What was chosen before is replaced.
func (f *Forge) Install(
	ctx context.Context, clientID string, owner Owner, repositories []int64,
) (Installation, error) {
	now := f.now()
	in := Installation{
		ClientID: clientID, Owner: owner, Selected: len(repositories) > 0, CreatedAt: now, UpdatedAt: now,
	}
	err := f.world.DB.WriteKeyed(ctx, "forge/install/"+clientID, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if in.ID, in.CreatedAt, err = upsertInstallation(ctx, tx, in); err != nil {
			return err
		}
		return replaceInstalled(ctx, tx, in.ID, repositories)
	})
	return in, err
}

// Uninstall takes an app off an account; its tokens for it end.
func (f *Forge) Uninstall(ctx context.Context, in Installation) error {
	return f.world.DB.WriteKeyed(ctx, "forge/install/"+in.ClientID, func(ctx context.Context, tx *database.Tx) error {
		if err := deleteInstallation(ctx, tx, in.ID); err != nil {
			return err
		}
		orgID, accountID := in.Account()
		return f.identity.RevokeInstallationIn(ctx, tx, in.ClientID, orgID, accountID)
	})
}

// Account is the organization or the user that the app is on, the other is zero.
func (in Installation) Account() (orgID, userID int64) {
	if in.Owner.Kind == OwnerOrg {
		return in.Owner.ID, 0
	}
	return 0, in.Owner.ID
}

// Installations is one page of the accounts that an app is on, the oldest first.
func (f *Forge) Installations(
	ctx context.Context, clientID string, limit int, offset int64,
) ([]Installation, int64, error) {
	return installationsOf(ctx, f.world.DB, clientID, limit, offset)
}

// Installation finds an installation of an app by its number.
func (f *Forge) Installation(ctx context.Context, clientID string, id int64) (Installation, error) {
	in, err := installationByID(ctx, f.world.DB, id)
	if errors.Is(err, database.ErrNotFound) || err == nil && in.ClientID != clientID {
		return in, &Error{Code: CodeNotFound, Message: "the app has no such installation", Cause: err}
	}
	return in, err
}

// InstallationOn finds the installation of an app on an account.
func (f *Forge) InstallationOn(ctx context.Context, clientID string, owner Owner) (Installation, error) {
	in, err := installationOn(ctx, f.world.DB, clientID, owner.Kind, owner.ID)
	if errors.Is(err, database.ErrNotFound) {
		return in, &Error{Code: CodeNotFound, Message: "the app is not installed there", Cause: err}
	}
	return in, err
}

// Covers reports whether the installation is on a repository.
func (f *Forge) Covers(ctx context.Context, in Installation, r Repository) (bool, error) {
	if r.Owner.Kind != in.Owner.Kind || r.Owner.ID != in.Owner.ID {
		return false, nil
	}
	if !in.Selected {
		return true, nil
	}
	return isInstalled(ctx, f.world.DB, in.ID, r.ID)
}

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

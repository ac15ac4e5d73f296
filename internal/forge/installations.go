package forge

import (
	"context"
	"errors"
	"time"

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

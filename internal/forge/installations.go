package forge

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// Install limits an app to chosen repositories of an organization; none means
// all of them.
func (f *Forge) Install(ctx context.Context, clientID string, orgID int64, repositories []int64) error {
	return f.world.DB.WriteKeyed(ctx, "forge/install/"+clientID, func(ctx context.Context, tx *database.Tx) error {
		if err := clearInstalled(ctx, tx, clientID, orgID); err != nil {
			return err
		}
		for _, id := range repositories {
			if err := insertInstalled(ctx, tx, clientID, orgID, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// InstallationSize is how many repositories an installation covers and how
// many users its organization has.
func (f *Forge) InstallationSize(
	ctx context.Context, clientID string, orgID int64,
) (repositories, users int64, err error) {
	chosen, repositories, err := countInstalled(ctx, f.world.DB, clientID, orgID)
	if err == nil && chosen == 0 {
		repositories, err = countRepositories(ctx, f.world.DB, orgID)
	}
	if err != nil {
		return 0, 0, err
	}
	members, err := f.identity.OrgMembers(ctx, orgID)
	return repositories, int64(len(members)), err
}

package forge

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// pushBatch is how many records of pushes are deleted in one transaction: pushes to the repository wait for it.
const pushBatch = 100

// deleteOldPushes forgets what every repository has on record beyond forge.kept_pushes and forge.push_life.
func (f *Forge) deleteOldPushes(ctx context.Context) error {
	before := f.now().Add(-f.config.PushLife)
	for after := int64(0); ; {
		list, err := f.AllRepositories(ctx, after, gcBatch)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, r := range list {
			after = r.ID
			if err := f.deleteOldPushesOf(ctx, r.ID, before); err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
	}
}

func (f *Forge) deleteOldPushesOf(ctx context.Context, repositoryID int64, before time.Time) error {
	for {
		due, err := oldPushes(ctx, f.world.DB, repositoryID, f.config.KeptPushes, before, pushBatch)
		if err != nil || due.rows == 0 {
			return err
		}
		err = f.inRepository(ctx, repositoryID, func(tx *database.Tx, _ Repository) error {
			return forgetPushes(ctx, tx, repositoryID, due.last)
		})
		if err != nil || due.rows < pushBatch {
			return err
		}
	}
}

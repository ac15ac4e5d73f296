package forge

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// orphanAge is how old a folder without a row must be, by the machine's clock as its time is:
// younger ones may belong to a repository that is being made by another process.
const orphanAge = 24 * time.Hour

// gcBatch is how many repositories are read at once.
const gcBatch = 100

// collectGarbage packs the repositories that need it. Git does not do so by itself
// here: a push should not wait for it, and nothing may run unseen.
func (f *Forge) collectGarbage(ctx context.Context) error {
	for after := int64(0); ; {
		list, err := f.AllRepositories(ctx, after, gcBatch)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, r := range list {
			after = r.ID
			if err := f.git.GC(ctx, r.Git()); err != nil && ctx.Err() != nil {
				return err
			} else if err != nil {
				// One repository that cannot be packed must not keep the others
				// from it.
				f.world.Telemetry.Log.Error("repository not packed", "repository", r.ID, "error", err)
			}
		}
	}
}

// removeOrphans deletes folders that a crash left without a row.
func (f *Forge) removeOrphans(ctx context.Context) error {
	folders, err := f.git.Folders()
	if err != nil || len(folders) == 0 {
		return err
	}
	used, err := usedFolders(ctx, f.world.DB)
	if err != nil {
		return err
	}
	now := clock.Real().Now()
	for folder, info := range folders {
		if used[folder] || now.Sub(info.ModTime()) < orphanAge {
			continue
		}
		if err := f.git.Remove(folder); err != nil {
			return err
		}
	}
	return nil
}

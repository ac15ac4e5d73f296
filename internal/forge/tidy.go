package forge

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// orphanAge is how old a folder without a row must be: younger ones may belong
// to a repository that is being made by another process.
const orphanAge = 24 * time.Hour

// tidyBatch is how many repositories are read at once.
const tidyBatch = 100

// tidy packs the repositories that have become untidy. Git does not do so by
// itself here: a push should not wait for it, and nothing may run unseen.
func (f *Forge) tidy(ctx context.Context) error {
	for after := int64(0); ; {
		list, err := f.AllRepositories(ctx, after, tidyBatch)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, r := range list {
			after = r.ID
			if err := f.pack(ctx, r); err != nil && ctx.Err() != nil {
				return err
			} else if err != nil {
				// One repository that cannot be packed must not keep the others
				// from it.
				f.world.Telemetry.Log.Error("a repository could not be packed", "repository", r.ID, "error", err)
			}
		}
	}
}

// pack lets git decide whether there is enough to do. What nobody refers to is
// kept for two weeks, so a push that goes on meanwhile loses nothing.
func (f *Forge) pack(ctx context.Context, r Repository) error {
	dir := f.git.path(r.folder)
	// On PostgreSQL the folder may be another process's.
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return f.runLong(ctx, r, dir, "-c", "gc.auto=1000", "-c", "gc.autoPackLimit=20", "-c", "gc.autoDetach=false",
		"-c", "gc.pruneExpire=2.weeks.ago", "gc", "--auto", "--quiet")
}

// removeOrphans deletes folders that a crash left without a row.
func (f *Forge) removeOrphans(ctx context.Context) error {
	dirs, err := filepath.Glob(filepath.Join(f.git.root, "??", "*.git"))
	if err != nil || len(dirs) == 0 {
		return err
	}
	used, err := usedFolders(ctx, f.world.DB)
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		folder := strings.TrimSuffix(filepath.Base(dir), ".git")
		if used[folder] || len(folder) != folderLength {
			continue
		}
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if f.now().Sub(info.ModTime()) < orphanAge {
			continue
		}
		if err := f.git.remove(folder); err != nil {
			return err
		}
	}
	return nil
}

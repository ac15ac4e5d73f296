package forge

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
)

const (
	// maxCommit and maxTree bound single objects that git keeps in memory.
	maxCommit, maxTree = 4 << 20, 16 << 20
	// unpackedTimes is how many times larger than the largest push the objects
	// of one may be when they are unpacked.
	unpackedTimes = 8
	// freeResults is what the deltas of any push may stand for, and resultsTimes
	// how many times its own size more.
	freeResults, resultsTimes = 4 << 30, 200
	// refsTimes is how many times more branches and tags a repository may have
	// than one push may change.
	refsTimes = 10
)

// checkPush refuses a push that would make the repository larger than it may
// be, or whose objects git could not hold in its place.
func (f *Forge) checkPush(ctx context.Context, r Repository, p place, body *spool, list pushList) error {
	if list.created > 0 {
		have, err := countRefs(ctx, f.world.DB, r.ID)
		if err != nil {
			return err
		}
		if most := int64(refsTimes * f.config.MaxRefs); have+int64(list.created) > most {
			return tooLarge("a repository may have at most %d branches and tags", most)
		}
	}
	pack := body.reader(list.length)
	if pack.Size() == 0 {
		return nil // refs are deleted, and nothing comes
	}
	size, err := folderSize(filepath.Join(f.git.path(r.folder), "objects"))
	if err != nil {
		return err
	}
	if size+pack.Size() > f.config.MaxRepository {
		return tooLarge("the repository would have more than %d MiB", f.config.MaxRepository>>20)
	}
	return checkPack(ctx, pack, packLimits{
		objects: f.config.MaxObjects, commit: min(maxCommit, p.memory/8), tree: min(maxTree, p.memory/4),
		// Base, delta and result are in memory at once.
		delta: p.memory / 3, unpacked: unpackedTimes * f.config.MaxPush, results: freeResults + resultsTimes*pack.Size(),
	})
}

// folderSize adds up the files below a folder. What goes away meanwhile is not
// counted.
func folderSize(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return ignoreMissing(err)
		}
		info, err := e.Info()
		if err == nil {
			total += info.Size()
		}
		return ignoreMissing(err)
	})
	return total, err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

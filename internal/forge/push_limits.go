package forge

import (
	"context"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/refusal"
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
// be, or whose objects git could not hold in its slot.
func (f *Forge) checkPush(
	ctx context.Context, r Repository, s git.Slot, body *git.TempFile, list git.PushList,
) error {
	if list.Created > 0 {
		have, err := countRefs(ctx, f.world.DB, r.ID)
		if err != nil {
			return err
		}
		if limit := int64(refsTimes * f.config.MaxRefs); have+int64(list.Created) > limit {
			return refusal.TooLarge("a repository may have at most %d branches and tags", limit)
		}
	}
	pack := body.Reader(list.Length)
	if pack.Size() == 0 {
		return nil // refs are deleted, and nothing comes
	}
	size, err := f.git.Size(r.folder)
	if err != nil {
		return err
	}
	if size+pack.Size() > f.config.MaxRepository {
		return refusal.TooLarge("the repository would have more than %d MiB", f.config.MaxRepository>>20)
	}
	return refusal.FromGit(git.CheckPack(ctx, pack, git.PackLimits{
		Objects: f.config.MaxObjects, Commit: min(maxCommit, s.Memory/8), Tree: min(maxTree, s.Memory/4),
		// Base, delta and result are in memory at once.
		Delta: s.Memory / 3, Unpacked: unpackedTimes * f.config.MaxPush,
		Results: freeResults + resultsTimes*pack.Size(),
	}))
}

package forge

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// recoverBatch is how many pending pushes are read at once.
const recoverBatch = 1000

// recoverPushes records pushes whose process ended before it did. all includes
// those that may still be under way elsewhere, which is none when this process is
// the only one; without it only pushes older than any push can be are looked at.
func (f *Forge) recoverPushes(ctx context.Context, all bool) error {
	before := f.now().Add(-2 * f.config.Timeout)
	if all {
		before = f.now().Add(time.Hour)
	}
	for {
		left, err := pendingBefore(ctx, f.world.DB, before, recoverBatch)
		if err != nil || len(left) == 0 {
			return err
		}
		for _, p := range left {
			if err := f.recoverPush(ctx, p); err != nil {
				return err
			}
		}
	}
}

func (f *Forge) recoverPush(ctx context.Context, p pending) error {
	unlock, err := f.locks.Lock(ctx, p.repositoryID)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = f.recordChanges(ctx, p.repositoryID, p.actor, p.id)
	if errors.Is(err, ErrNotFound) {
		return nil // deleted meanwhile, and the row with it
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	// One repository that cannot be read must not keep the others from
	// starting; its row stays for the next look.
	f.world.Telemetry.Log.Error("push not recorded", "repository", p.repositoryID, "error", err)
	return f.postpone(ctx, p)
}

// postpone lets the row of a push that cannot be recorded wait for a later look.
func (f *Forge) postpone(ctx context.Context, p pending) error {
	return f.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := deletePending(ctx, tx, p.id); err != nil {
			return err
		}
		p.startedAt = f.now().Add(2 * time.Hour)
		_, err := insertPending(ctx, tx, p)
		return err
	})
}

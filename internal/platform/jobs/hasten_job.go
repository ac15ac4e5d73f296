package jobs

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// Hasten makes the job that holds a lane due at a time, if it waits for a later one. It runs in
// tx; the workers are woken once that has committed.
func (q *Queue) Hasten(ctx context.Context, tx *database.Tx, key string, at time.Time) error {
	kinds, err := database.All(ctx, tx, func(s database.Scanner) (kind string, err error) {
		err = s.Scan(&kind)
		return kind, err
	}, store.HastenLane, key, database.Time(at))
	if err != nil || len(kinds) == 0 {
		return err
	}
	tx.OnCommit(func() {
		for _, kind := range kinds {
			q.wake(kind, store.Inserted{Ready: true, ClaimAt: at})
		}
	})
	return nil
}

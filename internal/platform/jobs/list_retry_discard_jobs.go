package jobs

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// List shows jobs in enqueue order.
func (q *Queue) List(ctx context.Context, f Filter) ([]Info, error) { return store.List(ctx, q.db, f) }

// Get shows one job; ErrNotFound if it does not exist or has finished.
func (q *Queue) Get(ctx context.Context, id string) (Info, error) { return store.Get(ctx, q.db, id) }

// Counts are the jobs in the table, for metrics and the console.
func (q *Queue) Counts(ctx context.Context) ([]Count, error) { return store.Counts(ctx, q.db) }

// CountDue is how many jobs wait that are due now.
func (q *Queue) CountDue(ctx context.Context) (int, error) {
	return store.CountDue(ctx, q.db, q.clock.Now())
}

// Retry makes a dead or waiting job due now, with all its attempts again. On a
// lane it still waits for its turn.
func (q *Queue) Retry(ctx context.Context, id string) error {
	return q.changeJob(ctx, func(ctx context.Context, tx *database.Tx) ([]store.Upcoming, error) {
		return store.Requeue(ctx, tx, id, q.clock.Now())
	})
}

// Discard deletes a job that is not running. On a lane the next one follows.
func (q *Queue) Discard(ctx context.Context, id string) error {
	return q.changeJob(ctx, func(ctx context.Context, tx *database.Tx) ([]store.Upcoming, error) {
		return store.Discard(ctx, tx, id)
	})
}

// changeJob makes a change and wakes the workers for what it made claimable.
func (q *Queue) changeJob(ctx context.Context,
	change func(context.Context, *database.Tx) ([]store.Upcoming, error)) error {
	return q.db.WriteKeyed(ctx, "jobs:operate", func(ctx context.Context, tx *database.Tx) error {
		ready, err := change(ctx, tx)
		tx.OnCommit(func() {
			for _, u := range ready {
				q.wake(u.Kind, store.Inserted{Ready: true, ClaimAt: u.At})
			}
		})
		return err
	})
}

package identity

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
)

const (
	sweepKind = "identity.sweep"
	// keepDeadCredentials is how long a dead credential can still be told apart from one
	// that never was.
	keepDeadCredentials = 90 * 24 * time.Hour
	// sweepBatch bounds one transaction, so that a sweep never holds the writer
	// for long.
	sweepBatch = 1000
)

// sweepPayload is empty: what is due follows from the clock.
type sweepPayload struct{}

// Jobs are the kinds of background work: deleting what died long ago.
func (i *Identity) Jobs() []jobs.Registration {
	return []jobs.Registration{jobs.Define(jobs.Kind[sweepPayload]{
		Name: sweepKind, About: "Deletes credentials and sessions that ended long ago.", Safe: true,
		Run: func(ctx context.Context, _ jobs.Job, _ sweepPayload) error {
			_, err := i.sweep(ctx, deleteDeadCredentials, i.now().Add(-keepDeadCredentials))
			_, errSessions := i.sweep(ctx, deleteExpiredSessions, i.sessionClock.Now())
			_, errReplacements := i.sweepReplacements(ctx, i.now())
			return errors.Join(err, errSessions, errReplacements)
		},
	})}
}

// Schedule puts the daily sweep on the queue, where Jobs must be registered.
func (i *Identity) Schedule(ctx context.Context, q *jobs.Queue) error {
	return q.Schedule(ctx, jobs.Schedule{Name: sweepKind, Spec: "@daily", Kind: sweepKind, Payload: sweepPayload{}})
}

// removeBatch deletes at most limit rows that are older than the time and counts them.
type removeBatch = func(ctx context.Context, q database.Querier, before time.Time, limit int64) (int64, error)

// sweep deletes what is older than the time, one batch after the other, and counts
// the rows.
func (i *Identity) sweep(ctx context.Context, remove removeBatch, before time.Time) (int64, error) {
	var total int64
	for {
		var n int64
		err := i.db.WriteKeyed(ctx, "identity/sweep", func(ctx context.Context, tx *database.Tx) error {
			var err error
			n, err = remove(ctx, tx, before, sweepBatch)
			return err
		})
		if err != nil {
			return total, err
		}
		if total += n; n < sweepBatch {
			return total, nil
		}
	}
}

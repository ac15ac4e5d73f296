package grants

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
)

const (
	sweepKind = "grants.sweep"
	// keepExpired is how long a used code can still be recognized as replayed.
	keepExpired = 24 * time.Hour
	// sweepBatch bounds one transaction, so that a sweep never holds the writer
	// for long.
	sweepBatch = 1000
)

// sweepPayload is empty: what is due follows from the clock.
type sweepPayload struct{}

// Jobs are the kinds of background work: deleting grants that ended long ago.
func (g *Grants) Jobs() []jobs.Registration {
	return []jobs.Registration{jobs.Define(jobs.Kind[sweepPayload]{
		Name:  sweepKind,
		About: "Deletes grants of devices and applications that ended long ago.",
		Safe:  true,
		Run: func(ctx context.Context, _ jobs.Job, _ sweepPayload) error {
			return g.sweep(ctx, g.now().Add(-keepExpired))
		},
	})}
}

// Schedule puts the daily sweep on the queue, where Jobs must be registered.
func (g *Grants) Schedule(ctx context.Context, q *jobs.Queue) error {
	return q.Schedule(ctx, jobs.Schedule{Name: sweepKind, Spec: "@daily", Kind: sweepKind, Payload: sweepPayload{}})
}

// sweep deletes the grants that expired before the time, one batch after the other.
func (g *Grants) sweep(ctx context.Context, before time.Time) error {
	for deleted := int64(sweepBatch); deleted == sweepBatch; {
		err := g.db.WriteKeyed(ctx, "identity/sweep", func(ctx context.Context, tx *database.Tx) (err error) {
			deleted, err = deleteGrants(ctx, tx, before, sweepBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

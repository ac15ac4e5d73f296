package world

import (
	"context"

	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/platform/jobs"
)

// purgeAudit is the job that deletes old entries of the audit trail.
const purgeAudit = "audit.purge"

// purgePayload is empty: what is due follows from the clock and the setting.
type purgePayload struct{}

// JobKinds are the kinds of background work of every world, beside those of modules.
func JobKinds() []jobs.Registration {
	return append(new(World).auditJobs(audit.Config{}), new(deliver.Engine).Jobs()...)
}

func (w *World) auditJobs(c audit.Config) []jobs.Registration {
	return []jobs.Registration{jobs.Define(jobs.Kind[purgePayload]{
		Name:  purgeAudit,
		About: "Deletes old entries of the audit trail.",
		Safe:  true,
		Run: func(ctx context.Context, _ jobs.Job, _ purgePayload) error {
			_, err := audit.Purge(ctx, w.DB, w.Clock.Now().Add(-c.Keep))
			return err
		},
	})}
}

// Schedule puts the world's own work that repeats on the queue.
func (w *World) Schedule(ctx context.Context) error {
	return w.Jobs.Schedule(ctx, jobs.Schedule{
		Name: purgeAudit, Spec: "@daily", Kind: purgeAudit, Payload: purgePayload{},
	})
}

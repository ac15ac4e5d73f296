package pipelines

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// claimable lists queued jobs, oldest first.
func claimable(ctx context.Context, tx *database.Tx, most int) ([]Build, error) {
	return database.All(ctx, tx, scanBuild, `SELECT `+buildColumns+` FROM pipelines_builds
		WHERE lifecycle = 'queued' ORDER BY id LIMIT $1`, most)
}

// claimBuild gives a queued job to an owner and starts it.
func claimBuild(ctx context.Context, tx *database.Tx, b *Build) error {
	result, err := tx.Exec(ctx, `
		UPDATE pipelines_builds SET version = version + 1, fence = fence + 1, lease_owner = $3, lease_until = $4,
			lifecycle = $5, status = $6, start_time = $7
		WHERE id = $1 AND fence = $2 AND lifecycle = 'queued'`,
		b.ID, b.lease.fence, b.lease.owner, database.Time(b.lease.until), string(b.State.Lifecycle), string(b.State.Status), database.Time(b.StartTime))
	if err == nil && result.RowsAffected == 0 {
		return errLeaseLost
	}
	b.Version, b.lease.fence = b.Version+1, b.lease.fence+1
	return err
}

// holding tells that a job still belongs to whoever read it.
func holding(ctx context.Context, q database.Querier, b *Build) (bool, error) {
	n, err := database.One(ctx, q, scanID,
		`SELECT COUNT(*) FROM pipelines_builds WHERE id = $1 AND fence = $2 AND lease_owner = $3 AND lifecycle = 'running'`,
		b.ID, b.lease.fence, b.lease.owner)
	return n > 0, err
}

// extendLeases keeps jobs of an owner. Those that it no longer runs are not
// named, so that their leases end.
func extendLeases(ctx context.Context, tx *database.Tx, owner string, ids []int64, until time.Time) error {
	for _, id := range ids {
		if _, err := tx.Exec(ctx, `UPDATE pipelines_builds SET lease_until = $3 WHERE id = $1 AND lease_owner = $2 AND lifecycle = 'running'`,
			id, owner, database.Time(until)); err != nil {
			return err
		}
	}
	return nil
}

// heldBy lists the jobs that an owner still holds.
func heldBy(ctx context.Context, q database.Querier, owner string) ([]int64, error) {
	return database.All(ctx, q, scanID, `SELECT id FROM pipelines_builds WHERE lease_owner = $1 AND lifecycle = 'running'`, owner)
}

// overdue lists running jobs whose lease ended before a moment.
func overdue(ctx context.Context, q database.Querier, before time.Time) ([]Build, error) {
	return database.All(ctx, q, scanBuild, `SELECT `+buildColumns+` FROM pipelines_builds
		WHERE lifecycle = 'running' AND lease_until < $1 ORDER BY id`, database.Time(before))
}

// queueLength counts the jobs that wait for a worker.
func queueLength(ctx context.Context, q database.Querier) (int64, error) {
	return database.One(ctx, q, scanID, `SELECT COUNT(*) FROM pipelines_builds WHERE lifecycle = 'queued'`)
}

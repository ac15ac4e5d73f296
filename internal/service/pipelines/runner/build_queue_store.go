package runner

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

func scanInt(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}

// firstUnfinished is the oldest job that runs or can run, 0 when there is none.
func firstUnfinished(ctx context.Context, q database.Querier) (int64, error) {
	return database.One(ctx, q, scanInt,
		`SELECT COALESCE(MIN(id), 0) FROM pipelines_builds WHERE lifecycle IN ('queued', 'running')`)
}

// claimBuild gives a queued job to the owner of its lease and starts it.
func claimBuild(ctx context.Context, tx *database.Tx, b *build.Build) error {
	result, err := tx.Exec(ctx, `
		UPDATE pipelines_builds SET version = version + 1, fence = fence + 1, lease_owner = $3, lease_until = $4,
			lifecycle = $5, status = $6, start_time = $7, places = 1
		WHERE id = $1 AND fence = $2 AND lifecycle = 'queued'`,
		b.ID, b.Lease.Fence, b.Lease.Owner, database.Time(b.Lease.Until),
		string(b.State.Lifecycle), string(b.State.Status), database.Time(b.StartTime))
	if err == nil && result.RowsAffected == 0 {
		return build.ErrLeaseLost
	}
	b.Version, b.Lease.Fence = b.Version+1, b.Lease.Fence+1
	return err
}

// isHeld reports whether the lease that a job was read with is still its own.
func isHeld(ctx context.Context, q database.Querier, b *build.Build) (bool, error) {
	n, err := database.One(ctx, q, scanInt, `SELECT COUNT(*) FROM pipelines_builds
		WHERE id = $1 AND fence = $2 AND lease_owner = $3 AND lifecycle = 'running'`,
		b.ID, b.Lease.Fence, b.Lease.Owner)
	return n > 0, err
}

// extendLeases keeps jobs of a worker. Those that it no longer runs are not named, so that their leases end.
func extendLeases(ctx context.Context, tx *database.Tx, worker string, ids []int64, until time.Time) error {
	for _, id := range ids {
		_, err := tx.Exec(ctx, `
			UPDATE pipelines_builds SET lease_until = $3 WHERE id = $1 AND lease_owner = $2 AND lifecycle = 'running'`,
			id, worker, database.Time(until))
		if err != nil {
			return err
		}
	}
	return nil
}

// listHeld lists the jobs that a worker still has.
func listHeld(ctx context.Context, q database.Querier, worker string) ([]int64, error) {
	return database.All(ctx, q, scanInt,
		`SELECT id FROM pipelines_builds WHERE lease_owner = $1 AND lifecycle = 'running'`, worker)
}

// lockOwner makes every transaction that adds jobs or bytes of the owner wait for this one.
func lockOwner(ctx context.Context, tx *database.Tx, owner int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO pipelines_owners (owner_id, entered) VALUES ($1, 1)
		ON CONFLICT (owner_id) DO UPDATE SET entered = pipelines_owners.entered + 1`, owner)
	return err
}

// countOpen counts the unfinished jobs of an owner and of a project.
func countOpen(ctx context.Context, q database.Querier, owner, repoID int64) (owners, projects int64, err error) {
	const open = `SELECT COUNT(*) FROM pipelines_builds WHERE lifecycle IN ('not_running', 'queued', 'running')`
	owners, err = database.One(ctx, q, scanInt, open+` AND owner_id = $1`, owner)
	if err != nil {
		return 0, 0, err
	}
	projects, err = database.One(ctx, q, scanInt, open+` AND repo_id = $1`, repoID)
	return owners, projects, err
}

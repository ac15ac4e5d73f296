package pipelines

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// demand is the oldest job that waits of an owner in a project, or a further
// node of a job that runs.
type demand struct {
	owner, repo int64
	// id is the job's.
	id int64
	// node tells of a further node.
	node bool
}

// queuedDemands lists, per owner and project, the oldest queued job.
func queuedDemands(ctx context.Context, q database.Querier) ([]demand, error) {
	return database.All(ctx, q, func(s database.Scanner) (d demand, err error) {
		err = s.Scan(&d.owner, &d.repo, &d.id)
		return d, err
	}, `SELECT owner_id, repo_id, MIN(id) FROM pipelines_builds WHERE lifecycle = 'queued' GROUP BY owner_id, repo_id`)
}

// nextQueued is the oldest queued job of an owner in a project after one.
func nextQueued(ctx context.Context, q database.Querier, d demand) (demand, error) {
	id, err := database.One(ctx, q, scanID, `SELECT id FROM pipelines_builds
		WHERE lifecycle = 'queued' AND owner_id = $1 AND repo_id = $2 AND id > $3 ORDER BY id LIMIT 1`, d.owner, d.repo, d.id)
	d.id = id
	return d, err
}

// share is how many places an owner's jobs hold in a project.
type share struct{ owner, repo, places int64 }

// runningShares adds up the places of all workers.
func runningShares(ctx context.Context, q database.Querier) ([]share, error) {
	return database.All(ctx, q, func(s database.Scanner) (r share, err error) {
		err = s.Scan(&r.owner, &r.repo, &r.places)
		return r, err
	}, `SELECT owner_id, repo_id, CAST(SUM(places) AS BIGINT) FROM pipelines_builds
		WHERE lifecycle = 'running' GROUP BY owner_id, repo_id`)
}

// servedAt is when an owner last got a place, zero for never.
func servedAt(ctx context.Context, q database.Querier, owner int64) (int64, error) {
	return database.One(ctx, q, scanID, `SELECT COALESCE(MAX(served), 0) FROM pipelines_turns WHERE owner_id = $1`, owner)
}

// lastServed is the number of the last turn of all.
func lastServed(ctx context.Context, q database.Querier) (int64, error) {
	return database.One(ctx, q, scanID, `SELECT COALESCE(MAX(served), 0) FROM pipelines_turns`)
}

func setServed(ctx context.Context, tx *database.Tx, owner, served int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO pipelines_turns (owner_id, served) VALUES ($1, $2)
		ON CONFLICT (owner_id) DO UPDATE SET served = excluded.served`, owner, served)
	return err
}

// setPlaces writes how many places a job holds at its worker.
func setPlaces(ctx context.Context, tx *database.Tx, id int64, worker string, places int) error {
	_, err := tx.Exec(ctx, `UPDATE pipelines_builds SET places = $3 WHERE id = $1 AND lease_owner = $2 AND lifecycle = 'running'`,
		id, worker, places)
	return err
}

// addPlace notes that a job of a worker got one more place.
func addPlace(ctx context.Context, tx *database.Tx, id int64, worker string) error {
	_, err := tx.Exec(ctx, `UPDATE pipelines_builds SET places = places + 1
		WHERE id = $1 AND lease_owner = $2 AND lifecycle = 'running'`, id, worker)
	return err
}

// lockOwner makes whoever adds jobs of the owner wait for this transaction.
func lockOwner(ctx context.Context, tx *database.Tx, owner int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO pipelines_owners (owner_id, entered) VALUES ($1, 1)
		ON CONFLICT (owner_id) DO UPDATE SET entered = pipelines_owners.entered + 1`, owner)
	return err
}

// openJobs counts the unfinished jobs of an owner and of a project.
func openJobs(ctx context.Context, q database.Querier, owner, repoID int64) (owned, projects int64, err error) {
	owned, err = database.One(ctx, q, scanID, `SELECT COUNT(*) FROM pipelines_builds
		WHERE lifecycle IN ('not_running', 'queued', 'running') AND owner_id = $1`, owner)
	if err != nil {
		return 0, 0, err
	}
	projects, err = database.One(ctx, q, scanID, `SELECT COUNT(*) FROM pipelines_builds
		WHERE lifecycle IN ('not_running', 'queued', 'running') AND repo_id = $1`, repoID)
	return owned, projects, err
}

// deleteTurns forgets owners that have nothing unfinished, far more often than
// numbers run out.
func deleteTurns(ctx context.Context, tx *database.Tx) error {
	for _, table := range []string{"pipelines_turns", "pipelines_owners"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE owner_id NOT IN (SELECT owner_id FROM pipelines_builds
			WHERE lifecycle IN ('not_running', 'queued', 'running'))`); err != nil {
			return err
		}
	}
	return nil
}

// claimBuild gives a queued job to an owner and starts it.
func claimBuild(ctx context.Context, tx *database.Tx, b *Build) error {
	result, err := tx.Exec(ctx, `
		UPDATE pipelines_builds SET version = version + 1, fence = fence + 1, lease_owner = $3, lease_until = $4,
			lifecycle = $5, status = $6, start_time = $7, places = 1
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

package runner

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// demand is the oldest job that waits of an owner in a project, or a further node of a job that runs.
type demand struct {
	owner, repo int64
	// id is the job's.
	id int64
	// node is set for a further node.
	node bool
}

// unblocked are jobs b that wait for no other of their serial group: none runs, and none was queued before.
const unblocked = `(b.serial_group = '' OR NOT EXISTS (SELECT 1 FROM pipelines_builds s
	WHERE s.serial_group = b.serial_group AND s.serial_group <> ''
		AND (s.lifecycle = 'running' OR s.lifecycle = 'queued' AND s.id < b.id)))`

// listQueued lists, per owner and project, the oldest queued job.
func listQueued(ctx context.Context, q database.Querier) ([]demand, error) {
	return database.All(ctx, q, func(s database.Scanner) (d demand, err error) {
		err = s.Scan(&d.owner, &d.repo, &d.id)
		return d, err
	}, `SELECT b.owner_id, b.repo_id, MIN(b.id) FROM pipelines_builds b
		WHERE b.lifecycle = 'queued' AND `+unblocked+` GROUP BY b.owner_id, b.repo_id`)
}

// nextQueued is the oldest queued job of an owner in a project after one.
func nextQueued(ctx context.Context, q database.Querier, d demand) (demand, error) {
	id, err := database.One(ctx, q, scanInt, `SELECT b.id FROM pipelines_builds b
		WHERE b.lifecycle = 'queued' AND b.owner_id = $1 AND b.repo_id = $2 AND b.id > $3 AND `+unblocked+`
		ORDER BY b.id LIMIT 1`,
		d.owner, d.repo, d.id)
	d.id = id
	return d, err
}

// share is how many slots an owner's jobs hold in a project.
type share struct{ owner, repo, slots int64 }

// listShares adds up the slots of all workers.
func listShares(ctx context.Context, q database.Querier) ([]share, error) {
	return database.All(ctx, q, func(s database.Scanner) (r share, err error) {
		err = s.Scan(&r.owner, &r.repo, &r.slots)
		return r, err
	}, `SELECT owner_id, repo_id, CAST(SUM(places) AS BIGINT) FROM pipelines_builds
		WHERE lifecycle = 'running' GROUP BY owner_id, repo_id`)
}

// lastServed is when an owner last got a slot, as a number that grows; zero for never.
func lastServed(ctx context.Context, q database.Querier, owner int64) (int64, error) {
	return database.One(ctx, q, scanInt,
		`SELECT COALESCE(MAX(served), 0) FROM pipelines_turns WHERE owner_id = $1`, owner)
}

// lastServedOfAll is the largest lastServed.
func lastServedOfAll(ctx context.Context, q database.Querier) (int64, error) {
	return database.One(ctx, q, scanInt, `SELECT COALESCE(MAX(served), 0) FROM pipelines_turns`)
}

func setServed(ctx context.Context, tx *database.Tx, owner, served int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO pipelines_turns (owner_id, served) VALUES ($1, $2)
		ON CONFLICT (owner_id) DO UPDATE SET served = excluded.served`, owner, served)
	return err
}

// setSlots writes how many slots a job holds at its worker.
func setSlots(ctx context.Context, tx *database.Tx, id int64, worker string, slots int) error {
	_, err := tx.Exec(ctx, `
		UPDATE pipelines_builds SET places = $3 WHERE id = $1 AND lease_owner = $2 AND lifecycle = 'running'`,
		id, worker, slots)
	return err
}

// addSlot notes that a job of a worker got one more slot.
func addSlot(ctx context.Context, tx *database.Tx, id int64, worker string) error {
	_, err := tx.Exec(ctx, `UPDATE pipelines_builds SET places = places + 1
		WHERE id = $1 AND lease_owner = $2 AND lifecycle = 'running'`, id, worker)
	return err
}

// deleteServed forgets owners that have nothing unfinished, far more often than numbers run out.
func deleteServed(ctx context.Context, tx *database.Tx) error {
	for _, table := range []string{"pipelines_turns", "pipelines_owners"} {
		_, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE owner_id NOT IN (
			SELECT owner_id FROM pipelines_builds WHERE lifecycle IN ('not_running', 'queued', 'running'))`)
		if err != nil {
			return err
		}
	}
	return nil
}

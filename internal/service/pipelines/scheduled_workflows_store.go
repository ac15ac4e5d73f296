package pipelines

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
)

// scheduleRow is one schedule of a branch and the due time that waits on the queue.
type scheduleRow struct {
	repoID                 int64
	branch, workflow, cron string
	actor                  forge.Actor
	due                    time.Time
}

func scanSchedule(s database.Scanner) (r scheduleRow, err error) {
	var due string
	if err = s.Scan(&r.repoID, &r.branch, &r.workflow, &r.cron, &r.actor.ID, &r.actor.Name, &due); err != nil {
		return r, err
	}
	r.due, err = database.ParseTime(due)
	return r, err
}

const scheduleColumns = `repo_id, branch, workflow, cron, actor_id, actor, due_at`

// listSchedules lists the schedules of a branch.
func listSchedules(ctx context.Context, q database.Querier, repoID int64, branch string) ([]scheduleRow, error) {
	return database.All(ctx, q, scanSchedule, `SELECT `+scheduleColumns+` FROM pipelines_schedules
		WHERE repo_id = $1 AND branch = $2 ORDER BY workflow, cron`, repoID, branch)
}

// countSchedules counts those of a project.
func countSchedules(ctx context.Context, q database.Querier, repoID int64) (int64, error) {
	return database.One(ctx, q, func(s database.Scanner) (n int64, err error) {
		err = s.Scan(&n)
		return n, err
	}, `SELECT COUNT(*) FROM pipelines_schedules WHERE repo_id = $1`, repoID)
}

func insertSchedule(ctx context.Context, tx *database.Tx, r scheduleRow) error {
	_, err := tx.Exec(ctx, `INSERT INTO pipelines_schedules (`+scheduleColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		r.repoID, r.branch, r.workflow, r.cron, r.actor.ID, r.actor.Name, database.Time(r.due))
	return err
}

// moveSchedule sets the next due time of the row that stands at one; false when it stands elsewhere.
func moveSchedule(ctx context.Context, tx *database.Tx, r scheduleRow, next time.Time) (bool, error) {
	result, err := tx.Exec(ctx, `UPDATE pipelines_schedules SET due_at = $6
		WHERE repo_id = $1 AND branch = $2 AND workflow = $3 AND cron = $4 AND due_at = $5`,
		r.repoID, r.branch, r.workflow, r.cron, database.Time(r.due), database.Time(next))
	return result.RowsAffected > 0, err
}

func deleteSchedule(ctx context.Context, tx *database.Tx, r scheduleRow) error {
	_, err := tx.Exec(ctx, `DELETE FROM pipelines_schedules
		WHERE repo_id = $1 AND branch = $2 AND workflow = $3 AND cron = $4`, r.repoID, r.branch, r.workflow, r.cron)
	return err
}

func deleteSchedules(ctx context.Context, tx *database.Tx, repoID int64, branch string) error {
	_, err := tx.Exec(ctx, `DELETE FROM pipelines_schedules WHERE repo_id = $1 AND branch = $2`, repoID, branch)
	return err
}

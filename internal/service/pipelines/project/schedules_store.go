package project

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
)

// Schedule is one schedule of a branch and the due time that waits on the queue.
type Schedule struct {
	RepoID                 int64
	Branch, Workflow, Cron string
	Actor                  forge.Actor
	Due                    time.Time
}

func scanSchedule(s database.Scanner) (r Schedule, err error) {
	var due string
	if err = s.Scan(&r.RepoID, &r.Branch, &r.Workflow, &r.Cron, &r.Actor.ID, &r.Actor.Name, &due); err != nil {
		return r, err
	}
	r.Due, err = database.ParseTime(due)
	return r, err
}

const scheduleColumns = `repo_id, branch, workflow, cron, actor_id, actor, due_at`

// Schedules are the schedules of a branch.
func Schedules(ctx context.Context, q database.Querier, repoID int64, branch string) ([]Schedule, error) {
	return database.All(ctx, q, scanSchedule, `SELECT `+scheduleColumns+` FROM pipelines_schedules
		WHERE repo_id = $1 AND branch = $2 ORDER BY workflow, cron`, repoID, branch)
}

// CountSchedules counts those of a project.
func CountSchedules(ctx context.Context, q database.Querier, repoID int64) (int64, error) {
	return database.One(ctx, q, func(s database.Scanner) (n int64, err error) {
		err = s.Scan(&n)
		return n, err
	}, `SELECT COUNT(*) FROM pipelines_schedules WHERE repo_id = $1`, repoID)
}

// InsertSchedule adds one.
func InsertSchedule(ctx context.Context, tx *database.Tx, r Schedule) error {
	_, err := tx.Exec(ctx, `INSERT INTO pipelines_schedules (`+scheduleColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		r.RepoID, r.Branch, r.Workflow, r.Cron, r.Actor.ID, r.Actor.Name, database.Time(r.Due))
	return err
}

// MoveSchedule sets the next due time of the row that stands at one, and returns it: another user may answer for it by
// now. database.ErrNotFound means that it stands elsewhere.
func MoveSchedule(ctx context.Context, tx *database.Tx, r Schedule, next time.Time) (Schedule, error) {
	return database.One(ctx, tx, scanSchedule, `UPDATE pipelines_schedules SET due_at = $6
		WHERE repo_id = $1 AND branch = $2 AND workflow = $3 AND cron = $4 AND due_at = $5
		RETURNING `+scheduleColumns,
		r.RepoID, r.Branch, r.Workflow, r.Cron, database.Time(r.Due), database.Time(next))
}

// TakeOverSchedule makes another actor answer for a schedule.
func TakeOverSchedule(ctx context.Context, tx *database.Tx, r Schedule, actor forge.Actor) error {
	_, err := tx.Exec(ctx, `UPDATE pipelines_schedules SET actor_id = $5, actor = $6
		WHERE repo_id = $1 AND branch = $2 AND workflow = $3 AND cron = $4`,
		r.RepoID, r.Branch, r.Workflow, r.Cron, actor.ID, actor.Name)
	return err
}

// DeleteSchedule removes one, whatever its due time.
func DeleteSchedule(ctx context.Context, tx *database.Tx, r Schedule) error {
	_, err := tx.Exec(ctx, `DELETE FROM pipelines_schedules
		WHERE repo_id = $1 AND branch = $2 AND workflow = $3 AND cron = $4`, r.RepoID, r.Branch, r.Workflow, r.Cron)
	return err
}

// DeleteSchedules removes those of a branch.
func DeleteSchedules(ctx context.Context, tx *database.Tx, repoID int64, branch string) error {
	_, err := tx.Exec(ctx, `DELETE FROM pipelines_schedules WHERE repo_id = $1 AND branch = $2`, repoID, branch)
	return err
}

package tasks

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// taskCursor is where a page of tasks ended.
type taskCursor struct {
	Parent string `json:"p"`
	Rank   string `json:"r"`
	ID     string `json:"i"`
}

const taskColumns = `id, list_id, user_id, parent, rank, ranked_at, title, notes, status, due, completed_at,
	hidden, deleted, version, updated_at`

func scanTask(s database.Scanner) (t Task, err error) {
	var status string
	err = s.Scan(&t.ID, &t.ListID, &t.UserID, &t.Parent, &t.Rank, database.ScanTime(&t.RankedAt),
		&t.Title, &t.Notes, &status, database.ScanNullTime(&t.Due), database.ScanNullTime(&t.CompletedAt),
		&t.Hidden, &t.Deleted, &t.Version, database.ScanTime(&t.UpdatedAt))
	t.Status = Status(status)
	return t, err
}

// taskByID finds a task that is not deleted.
func taskByID(ctx context.Context, q database.Querier, listID, id string) (Task, error) {
	t, err := anyTaskByID(ctx, q, listID, id)
	if err == nil && t.Deleted {
		return Task{}, errNotFound("there is no such task")
	}
	return t, err
}

// anyTaskByID is taskByID for deleted tasks too.
func anyTaskByID(ctx context.Context, q database.Querier, listID, id string) (Task, error) {
	t, err := database.One(ctx, q, scanTask, `SELECT `+taskColumns+` FROM tasks_tasks
		WHERE id = $1 AND list_id = $2`, id, listID)
	if errors.Is(err, database.ErrNotFound) {
		return Task{}, errNotFound("there is no such task")
	}
	return t, err
}

// listTasks returns tasks in order. An empty bound of a filter lets everything pass; texts
// compare like the times they stand for.
func listTasks(
	ctx context.Context, q database.Querier, listID string, f Filter, after taskCursor, limit int,
) ([]Task, error) {
	return database.All(ctx, q, scanTask, `SELECT `+taskColumns+` FROM tasks_tasks
		WHERE list_id = $1
		AND (parent > $2 OR (parent = $2 AND (rank > $3 OR (rank = $3 AND id > $4))))
		AND ($5 OR status <> 'completed') AND ($6 OR NOT hidden) AND ($7 OR NOT deleted)
		AND ($8 = '' OR due >= $8) AND ($9 = '' OR due < $9)
		AND ($10 = '' OR completed_at >= $10) AND ($11 = '' OR completed_at <= $11)
		AND ($12 = '' OR updated_at >= $12)
		ORDER BY parent, rank, id LIMIT $13`,
		listID, after.Parent, after.Rank, after.ID, f.ShowCompleted, f.ShowHidden, f.ShowDeleted,
		bound(f.DueMin), bound(f.DueMax), bound(f.CompletedMin), bound(f.CompletedMax), bound(f.UpdatedMin), limit)
}

func bound(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return database.FormatTime(t)
}

// nextSibling has the rank of the sibling after a rank; it is a zero Task when
// there is no such sibling.
func nextSibling(ctx context.Context, q database.Querier, listID, parent, rank, except string) (t Task, err error) {
	err = q.QueryRow(ctx, `SELECT rank, ranked_at FROM tasks_tasks
		WHERE list_id = $1 AND parent = $2 AND rank > $3 AND id <> $4 ORDER BY rank, id LIMIT 1`,
		listID, parent, rank, except).
		Scan(&t.Rank, database.ScanTime(&t.RankedAt))
	if errors.Is(err, database.ErrNotFound) {
		return Task{}, nil
	}
	return t, err
}

// below are the ids of everything under the task $2 of the list $1, deleted
// ones included.
const below = `(WITH RECURSIVE below (id) AS (
	SELECT id FROM tasks_tasks WHERE list_id = $1 AND parent = $2
	UNION SELECT t.id FROM tasks_tasks t JOIN below b ON t.list_id = $1 AND t.parent = b.id) SELECT id FROM below)`

// countBelow counts what is not deleted under a task, and what of that is
// visible.
func countBelow(ctx context.Context, q database.Querier, t Task) (all, open int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*), COUNT(*) FILTER (WHERE NOT hidden) FROM tasks_tasks
		WHERE id IN `+below+` AND NOT deleted`, t.ListID, t.ID).Scan(&all, &open)
	return all, open, err
}

// deleteBelow deletes what is under a task when the task was.
func deleteBelow(ctx context.Context, q database.Querier, t Task) error {
	_, err := q.Exec(ctx, `UPDATE tasks_tasks SET deleted = TRUE, version = version + 1, updated_at = $3
		WHERE id IN `+below+` AND NOT deleted`, t.ListID, t.ID, database.Time(t.UpdatedAt))
	return err
}

// completeBelow completes what is open under a task when the task was.
func completeBelow(ctx context.Context, q database.Querier, t Task) error {
	_, err := q.Exec(ctx, `UPDATE tasks_tasks SET status = 'completed', completed_at = $3, version = version + 1,
		updated_at = $4 WHERE id IN `+below+` AND NOT deleted AND status <> 'completed'`,
		t.ListID, t.ID, database.Time(t.CompletedAt), database.Time(t.UpdatedAt))
	return err
}

// restoreBelow brings back what was deleted under a task together with it, and counts
// it: all, and what of that is visible.
func restoreBelow(
	ctx context.Context, q database.Querier, t Task, deletedAt time.Time,
) (all, open int64, err error) {
	restored, err := database.All(ctx, q, func(s database.Scanner) (hidden bool, err error) {
		return hidden, s.Scan(&hidden)
	}, `UPDATE tasks_tasks SET deleted = FALSE, version = version + 1, updated_at = $3
		WHERE id IN `+below+` AND deleted AND updated_at = $4 RETURNING hidden`,
		t.ListID, t.ID, database.Time(t.UpdatedAt), database.Time(deletedAt))
	for _, hidden := range restored {
		open += boolToInt(!hidden)
	}
	return int64(len(restored)), open, err
}

// moveBelow takes what is under a task from a list to the task's own. What is deleted keeps the time of that, by
// which it comes back or goes.
func moveBelow(ctx context.Context, q database.Querier, from string, t Task) error {
	_, err := q.Exec(ctx, `UPDATE tasks_tasks SET list_id = $3, version = version + 1,
			updated_at = CASE WHEN deleted THEN updated_at ELSE $4 END
		WHERE id IN `+below, from, t.ID, t.ListID, database.Time(t.UpdatedAt))
	return err
}

// isBelow reports whether a task is a descendant of another.
func isBelow(ctx context.Context, q database.Querier, listID, id, ancestor string) (yes bool, err error) {
	err = q.QueryRow(ctx, `WITH RECURSIVE up (id) AS (
			SELECT parent FROM tasks_tasks WHERE list_id = $1 AND id = $2
			UNION SELECT t.parent FROM tasks_tasks t JOIN up ON t.list_id = $1 AND t.id = up.id)
		SELECT COUNT(*) > 0 FROM up WHERE id = $3`, listID, id, ancestor).Scan(&yes)
	return yes, err
}

// siblingIDs are all children of a parent in their order, deleted ones included.
func siblingIDs(ctx context.Context, q database.Querier, listID, parent, except string) ([]string, error) {
	return database.All(ctx, q, scanID, `SELECT id FROM tasks_tasks WHERE list_id = $1 AND parent = $2 AND id <> $3 ORDER BY rank, id`,
		listID, parent, except)
}

func scanID(s database.Scanner) (id string, err error) {
	err = s.Scan(&id)
	return id, err
}

// updatePlace writes the place of a task and that it changed, and nothing else of it.
func updatePlace(ctx context.Context, q database.Querier, t Task) error {
	_, err := q.Exec(ctx, `UPDATE tasks_tasks SET parent = $1, rank = $2, ranked_at = $3, version = version + 1,
		updated_at = $4 WHERE id = $5`, t.Parent, t.Rank, database.Time(t.RankedAt), database.Time(t.UpdatedAt), t.ID)
	return err
}

func updateRank(ctx context.Context, q database.Querier, id, rank string) error {
	_, err := q.Exec(ctx, `UPDATE tasks_tasks SET rank = $1, version = version + 1 WHERE id = $2`, rank, id)
	return err
}

func countChildren(ctx context.Context, q database.Querier, listID, parent, except string) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM tasks_tasks
		WHERE list_id = $1 AND parent = $2 AND id <> $3 AND NOT deleted`, listID, parent, except).Scan(&n)
	return n, err
}

// countTasks counts the tasks of a list.
func countTasks(ctx context.Context, q database.Querier, listID string) (n taskCount, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FILTER (WHERE NOT deleted), COUNT(*) FILTER (WHERE deleted)
		FROM tasks_tasks WHERE list_id = $1`, listID).Scan(&n.live, &n.deleted)
	return n, err
}

// purgeDeleted removes the rows of up to limit tasks of a user that were deleted
// before a time, the oldest first.
func purgeDeleted(
	ctx context.Context, q database.Querier, userID int64, before time.Time, limit int64,
) (int64, error) {
	r, err := q.Exec(ctx, `DELETE FROM tasks_tasks WHERE id IN (
		SELECT id FROM tasks_tasks WHERE deleted AND user_id = $1 AND updated_at < $2
		ORDER BY updated_at, id LIMIT $3)`,
		userID, database.Time(before), limit)
	return r.RowsAffected, err
}

func insertTask(ctx context.Context, q database.Querier, t Task) error {
	_, err := q.Exec(ctx, `INSERT INTO tasks_tasks (`+taskColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		t.ID, t.ListID, t.UserID, t.Parent, t.Rank, database.Time(t.RankedAt), t.Title, t.Notes, string(t.Status),
		database.NullTime(t.Due), database.NullTime(t.CompletedAt), t.Hidden, t.Deleted, t.Version,
		database.Time(t.UpdatedAt))
	return err
}

func updateTask(ctx context.Context, q database.Querier, t Task) error {
	_, err := q.Exec(ctx, `UPDATE tasks_tasks SET list_id = $1, parent = $2, rank = $3, ranked_at = $4,
		title = $5, notes = $6, status = $7, due = $8, completed_at = $9, hidden = $10, deleted = $11,
		version = $12, updated_at = $13 WHERE id = $14`,
		t.ListID, t.Parent, t.Rank, database.Time(t.RankedAt), t.Title, t.Notes, string(t.Status),
		database.NullTime(t.Due), database.NullTime(t.CompletedAt), t.Hidden, t.Deleted, t.Version,
		database.Time(t.UpdatedAt), t.ID)
	return err
}

// shownUnderHidden are the tasks of a list, by their ids, whose parents are hidden while they are not.
func shownUnderHidden(ctx context.Context, q database.Querier, listID string) ([]string, error) {
	return database.All(ctx, q, scanID, `SELECT id FROM tasks_tasks
		WHERE list_id = $1 AND NOT hidden AND NOT deleted AND parent IN (
			SELECT id FROM tasks_tasks WHERE list_id = $1 AND hidden)
		ORDER BY parent, rank, id`, listID)
}

// hideCompleted clears a list and says how many tasks it hid.
func hideCompleted(ctx context.Context, q database.Querier, listID string, now time.Time) (int64, error) {
	r, err := q.Exec(ctx, `UPDATE tasks_tasks SET hidden = TRUE, version = version + 1, updated_at = $1
		WHERE list_id = $2 AND completed_at IS NOT NULL AND NOT hidden AND NOT deleted`, database.Time(now), listID)
	return r.RowsAffected, err
}

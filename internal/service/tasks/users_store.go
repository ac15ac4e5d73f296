package tasks

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

type userRow struct {
	defaultList          string
	listCount, taskCount int64
}

func userByID(ctx context.Context, q database.Querier, userID int64) (u userRow, err error) {
	err = q.QueryRow(ctx, `SELECT default_list, list_count, task_count FROM tasks_users WHERE user_id = $1`, userID).
		Scan(&u.defaultList, &u.listCount, &u.taskCount)
	return u, err
}

// userRevision counts the changes of the user's data.
func userRevision(ctx context.Context, q database.Querier, userID int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT revision FROM tasks_users WHERE user_id = $1`, userID).Scan(&n)
	return n, err
}

func incrementRevision(ctx context.Context, q database.Querier, userID int64) error {
	_, err := q.Exec(ctx, `UPDATE tasks_users SET revision = revision + 1 WHERE user_id = $1`, userID)
	return err
}

func insertUser(ctx context.Context, q database.Querier, userID int64, list string) error {
	_, err := q.Exec(ctx, `INSERT INTO tasks_users (user_id, default_list, list_count, task_count)
		VALUES ($1, $2, 1, 0)`, userID, list)
	return err
}

// addListCount and addTaskCount change what counts against the limits and return the
// new numbers. The latter counts as a change by itself: a new task is one statement
// on the user's row.

func addListCount(ctx context.Context, tx *database.Tx, userID, n int64) (count int64, err error) {
	err = singlerow.Update(ctx, tx, singlerow.Change{
		Table: "tasks_users", Set: "list_count = list_count + $2", Where: "user_id = $1", Read: "list_count",
	}, []any{userID}, []any{n}, &count)
	return count, err
}

func addTaskCount(
	ctx context.Context, tx *database.Tx, userID int64, add taskCount,
) (now taskCount, err error) {
	err = singlerow.Update(ctx, tx, singlerow.Change{
		Table: "tasks_users", Where: "user_id = $1", Read: "task_count, deleted_count",
		Set: "task_count = task_count + $2, deleted_count = deleted_count + $3, revision = revision + 1",
	}, []any{userID}, []any{add.live, add.deleted}, &now.live, &now.deleted)
	return now, err
}

// userWithDeleted finds the first user with an id above after who has tasks that
// were deleted before a time.
func userWithDeleted(
	ctx context.Context, q database.Querier, after int64, before time.Time,
) (id int64, found bool, err error) {
	err = q.QueryRow(ctx, `SELECT user_id FROM tasks_tasks WHERE deleted AND user_id > $1 AND updated_at < $2
		ORDER BY user_id LIMIT 1`, after, database.Time(before)).Scan(&id)
	if errors.Is(err, database.ErrNotFound) {
		return 0, false, nil
	}
	return id, err == nil, err
}

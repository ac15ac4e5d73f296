package tasks

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

// listCursor is where a page of lists ended.
type listCursor struct {
	CreatedAt time.Time `json:"c"`
	ID        string    `json:"i"`
}

const listColumns = `l.id, l.user_id, l.title, l.open_count, l.version, l.created_at, l.updated_at`

func scanList(s database.Scanner) (l List, err error) {
	err = s.Scan(&l.ID, &l.UserID, &l.Title, &l.OpenCount, &l.Version,
		database.ScanTime(&l.CreatedAt), database.ScanTime(&l.UpdatedAt))
	return l, err
}

// listByID finds a list of the user; the id may be @default.
func listByID(ctx context.Context, q database.Querier, userID int64, id string) (List, error) {
	var l List
	var err error
	if id == DefaultList {
		l, err = database.One(ctx, q, scanList, `SELECT `+listColumns+` FROM tasks_users u
			JOIN tasks_lists l ON l.id = u.default_list WHERE u.user_id = $1`, userID)
	} else {
		l, err = database.One(ctx, q, scanList, `SELECT `+listColumns+` FROM tasks_lists l
			WHERE l.id = $1 AND l.user_id = $2`, id, userID)
	}
	if errors.Is(err, database.ErrNotFound) {
		return List{}, errNotFound("there is no such task list")
	}
	return l, err
}

func listLists(ctx context.Context, q database.Querier, userID int64, after listCursor, limit int) ([]List, error) {
	return database.All(ctx, q, scanList, `SELECT `+listColumns+` FROM tasks_lists l
		WHERE l.user_id = $1 AND (l.created_at > $2 OR (l.created_at = $2 AND l.id > $3))
		ORDER BY l.created_at, l.id LIMIT $4`, userID, database.Time(after.CreatedAt), after.ID, limit)
}

func insertList(ctx context.Context, q database.Querier, l List) error {
	_, err := q.Exec(ctx, `INSERT INTO tasks_lists (id, user_id, title, open_count, version, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		l.ID, l.UserID, l.Title, l.OpenCount, l.Version, database.Time(l.CreatedAt), database.Time(l.UpdatedAt))
	return err
}

func updateList(ctx context.Context, q database.Querier, l List) error {
	_, err := q.Exec(ctx, `UPDATE tasks_lists SET title = $1, version = $2, updated_at = $3 WHERE id = $4`,
		l.Title, l.Version, database.Time(l.UpdatedAt), l.ID)
	return err
}

func deleteList(ctx context.Context, q database.Querier, id string) error {
	_, err := q.Exec(ctx, `DELETE FROM tasks_lists WHERE id = $1`, id)
	return err
}

func addOpenCount(ctx context.Context, tx *database.Tx, listID string, n int64) (count int64, err error) {
	err = singlerow.Update(ctx, tx, singlerow.Change{
		Table: "tasks_lists", Set: "open_count = open_count + $2", Where: "id = $1", Read: "open_count",
	}, []any{listID}, []any{n}, &count)
	return count, err
}

// addToList counts n more tasks that are neither hidden nor deleted in a list of a
// user, and returns the list and what it has now.
func addToList(
	ctx context.Context, tx *database.Tx, userID int64, listID string, n int64,
) (id string, count int64, err error) {
	add := singlerow.Change{
		Table: "tasks_lists", Set: "open_count = open_count + $3", Where: "user_id = $1 AND id = $2", Read: "id, open_count",
	}
	key := []any{userID, listID}
	if listID == DefaultList {
		add.Set, add.Where = "open_count = open_count + $2", "id = (SELECT default_list FROM tasks_users WHERE user_id = $1)"
		key = key[:1]
	}
	err = singlerow.Update(ctx, tx, add, key, []any{n}, &id, &count)
	if errors.Is(err, database.ErrNotFound) {
		err = errNotFound("there is no such task list")
	}
	return id, count, err
}

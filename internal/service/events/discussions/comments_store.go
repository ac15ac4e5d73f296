package discussions

import (
	"context"
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/singlerow"
)

func commentID(c *Comment) *int64 { return &c.ID }

func insertComment(ctx context.Context, tx *database.Tx, c *Comment) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	c.ID, err = singlerow.Insert(ctx, tx, "id", `
		INSERT INTO events_comments (repo_id, kind, number, commit_id, review_id, updated_at, data)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		c.RepoID, string(c.Kind), c.Number, c.CommitID, c.ReviewID, database.Time(c.UpdatedAt), string(data))
	return err
}

func updateComment(ctx context.Context, tx *database.Tx, c Comment) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE events_comments SET updated_at = $2, data = $3 WHERE id = $1`,
		c.ID, database.Time(c.UpdatedAt), string(data))
	return err
}

func removeComment(ctx context.Context, tx *database.Tx, id int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM events_comments WHERE id = $1`, id)
	return err
}

func commentByID(ctx context.Context, q database.Querier, repoID int64, kind commentKind, id int64) (Comment, error) {
	return database.One(ctx, q, scanDocument(commentID),
		`SELECT id, data FROM events_comments WHERE repo_id = $1 AND kind = $2 AND id = $3`, repoID, string(kind), id)
}

// commentRepo is the repository of a comment on an issue.
func commentRepo(ctx context.Context, q database.Querier, id int64) (repoID int64, err error) {
	err = q.QueryRow(ctx, `SELECT repo_id FROM events_comments WHERE kind = $1 AND id = $2`,
		string(onIssue), id).Scan(&repoID)
	return repoID, err
}

// commentQuery is which comments a list shows; zero values ask for all.
type commentQuery struct {
	repoID   int64
	kind     commentKind
	number   int64
	commitID string
	reviewID int64
	since    time.Time
	newest   bool
}

const commentsWhere = ` FROM events_comments WHERE repo_id = $1 AND kind = $2 AND (CAST($3 AS BIGINT) = 0 OR number = $3)
	AND (CAST($4 AS TEXT) = '' OR commit_id = $4) AND (CAST($5 AS BIGINT) = 0 OR review_id = $5) AND updated_at >= $6`

func listComments(
	ctx context.Context, q database.Querier, f commentQuery, size int, offset int64,
) (list []Comment, total int64, err error) {
	args := []any{f.repoID, string(f.kind), f.number, f.commitID, f.reviewID, database.Time(f.since)}
	if total, err = count(ctx, q, `SELECT COUNT(*)`+commentsWhere, args...); err != nil {
		return nil, 0, err
	}
	order := ` ORDER BY id LIMIT $7 OFFSET $8`
	if f.newest {
		order = ` ORDER BY id DESC LIMIT $7 OFFSET $8`
	}
	list, err = database.All(ctx, q, scanDocument(commentID), `SELECT id, data`+commentsWhere+order,
		append(args, size, offset)...)
	return list, total, err
}

package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/markdown"
	"stoa.dev/stoa/internal/service/articles/rowmemory"
)

const commentColumns = `c.number, c.id, c.item, c.user_id, c.body, c.rendered, c.created_at, c.updated_at`

func scanComment(s database.Scanner) (c Comment, err error) {
	err = s.Scan(&c.Number, &c.ID, &c.Item, &c.UserID, &c.Body, &c.Rendered,
		database.ScanTime(&c.CreatedAt), database.ScanTime(&c.UpdatedAt))
	return c, err
}

func commentByID(ctx context.Context, q database.Querier, teamID int64, id string) (Comment, error) {
	return orNotFound(database.One(ctx, q, scanComment, `SELECT `+commentColumns+` FROM articles_comments c
		JOIN articles_items i ON i.number = c.item WHERE c.id = $1 AND i.team_id = $2`, id, teamID))
}

func listComments(ctx context.Context, q database.Querier, item int64, p page.Numbers, memory *rowmemory.Memory) (
	[]Comment, int64, error,
) {
	return page.List(ctx, q, rowmemory.Metered(scanComment, memory), p, `SELECT `+commentColumns,
		`FROM articles_comments c WHERE c.item = $1`, `ORDER BY c.number DESC`, item)
}

func insertComment(ctx context.Context, q database.Querier, c Comment) error {
	_, err := q.Exec(ctx, `INSERT INTO articles_comments (id, item, user_id, body, rendered, renderer, created_at,
		updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, c.ID, c.Item, c.UserID, c.Body, c.Rendered,
		markdown.Version, database.Time(c.CreatedAt), database.Time(c.UpdatedAt))
	return err
}

func updateComment(ctx context.Context, q database.Querier, c Comment) error {
	_, err := q.Exec(ctx, `UPDATE articles_comments SET body = $1, rendered = $2, updated_at = $3, renderer = $4
		WHERE number = $5`, c.Body, c.Rendered, database.Time(c.UpdatedAt), markdown.Version, c.Number)
	return err
}

func deleteComment(ctx context.Context, q database.Querier, number int64) (int64, error) {
	done, err := q.Exec(ctx, `DELETE FROM articles_comments WHERE number = $1`, number)
	return done.RowsAffected, err
}

// commentsByItem are the comments on several items without their texts, the newest
// first.
func commentsByItem(ctx context.Context, q database.Querier, items []int64, limit int64) ([]Comment, error) {
	in, args := database.In(2, items)
	return database.All(ctx, q, scanComment, `SELECT c.number, c.id, c.item, c.user_id, '', '', c.created_at,
		c.updated_at FROM articles_comments c WHERE c.item IN `+in+` ORDER BY c.number DESC LIMIT $1`,
		append([]any{limit}, args...)...)
}

// staleComments are comments that an older renderer made.
func staleComments(ctx context.Context, q database.Querier, limit int64) ([]Comment, error) {
	return database.All(ctx, q, scanComment, `SELECT `+commentColumns+` FROM articles_comments c
		WHERE c.renderer < $1 ORDER BY c.renderer, c.number LIMIT $2`, markdown.Version, limit)
}

func updateRenderedComment(ctx context.Context, q database.Querier, c Comment, rendered string) error {
	_, err := q.Exec(ctx, `UPDATE articles_comments SET rendered = $1, renderer = $2 WHERE number = $3 AND body = $4`,
		rendered, markdown.Version, c.Number, c.Body)
	return err
}

package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
)

const reactionColumns = `x.item, x.comment, x.user_id, x.name, x.created_at`

func scanReaction(s database.Scanner) (x Reaction, err error) {
	err = s.Scan(&x.Item, &x.Comment, &x.UserID, &x.Name, database.ScanTime(&x.CreatedAt))
	return x, err
}

// insertReaction returns how many rows it made: none when there is one already,
// whose time it finds.
func insertReaction(ctx context.Context, q database.Querier, x *Reaction) (int64, error) {
	done, err := q.Exec(ctx, `INSERT INTO articles_reactions (item, comment, user_id, name, created_at)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (item, comment, user_id, name) DO NOTHING`,
		x.Item, x.Comment, x.UserID, x.Name, database.Time(x.CreatedAt))
	if err != nil || done.RowsAffected > 0 {
		return done.RowsAffected, err
	}
	return 0, q.QueryRow(ctx, `SELECT created_at FROM articles_reactions
		WHERE item = $1 AND comment = $2 AND user_id = $3 AND name = $4`, x.Item, x.Comment, x.UserID, x.Name).
		Scan(database.ScanTime(&x.CreatedAt))
}

func deleteReaction(ctx context.Context, q database.Querier, x *Reaction) (int64, error) {
	done, err := q.Exec(ctx, `DELETE FROM articles_reactions
		WHERE item = $1 AND comment = $2 AND user_id = $3 AND name = $4`, x.Item, x.Comment, x.UserID, x.Name)
	return done.RowsAffected, err
}

// deleteCommentReactions deletes the reactions to a comment.
func deleteCommentReactions(ctx context.Context, q database.Querier, item, comment int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_reactions WHERE item = $1 AND comment = $2`, item, comment)
	return err
}

func listReactions(ctx context.Context, q database.Querier, item, comment int64, p page.Numbers) (
	[]Reaction, int64, error,
) {
	return page.List(ctx, q, scanReaction, p, `SELECT `+reactionColumns,
		`FROM articles_reactions x WHERE x.item = $1 AND x.comment = $2`, `ORDER BY x.number DESC`, item, comment)
}

// reactionsByItem are the reactions to several items and their comments, the newest
// first.
func reactionsByItem(ctx context.Context, q database.Querier, items []int64, limit int64) ([]Reaction, error) {
	in, args := database.In(2, items)
	return database.All(ctx, q, scanReaction, `SELECT `+reactionColumns+` FROM articles_reactions x
		WHERE x.item IN `+in+` ORDER BY x.number DESC LIMIT $1`, append([]any{limit}, args...)...)
}

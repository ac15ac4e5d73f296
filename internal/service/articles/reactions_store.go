package articles

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Reaction is an emoji that somebody put on an item, or on a comment of it.
type Reaction struct {
	Item int64
	// Comment is 0 for a reaction to the item itself.
	Comment   int64
	UserID    int64
	Name      string
	CreatedAt time.Time
}

const reactionColumns = `x.item, x.comment, x.user_id, x.name, x.created_at`

func scanReaction(s database.Scanner) (x Reaction, err error) {
	err = s.Scan(&x.Item, &x.Comment, &x.UserID, &x.Name, database.ScanTime(&x.CreatedAt))
	return x, err
}

const countReactions = `UPDATE articles_items SET reactions_count = reactions_count + $1 WHERE number = $2`

// insertReaction tells how many rows it made: none when there is one already,
// whose time it finds.
func (store) insertReaction(ctx context.Context, q database.Querier, x *Reaction) (int64, error) {
	done, err := q.Exec(ctx, `INSERT INTO articles_reactions (item, comment, user_id, name, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (item, comment, user_id, name) DO NOTHING`, x.Item, x.Comment, x.UserID, x.Name, database.Time(x.CreatedAt))
	if err != nil || done.RowsAffected > 0 {
		return done.RowsAffected, err
	}
	return 0, q.QueryRow(ctx, `SELECT created_at FROM articles_reactions WHERE item = $1 AND comment = $2 AND user_id = $3 AND name = $4`,
		x.Item, x.Comment, x.UserID, x.Name).Scan(database.ScanTime(&x.CreatedAt))
}

func (store) deleteReaction(ctx context.Context, q database.Querier, x *Reaction) (int64, error) {
	done, err := q.Exec(ctx, `DELETE FROM articles_reactions WHERE item = $1 AND comment = $2 AND user_id = $3 AND name = $4`,
		x.Item, x.Comment, x.UserID, x.Name)
	return done.RowsAffected, err
}

// deleteReactionsTo forgets the reactions to a comment that ends.
func (store) deleteReactionsTo(ctx context.Context, q database.Querier, item, comment int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_reactions WHERE item = $1 AND comment = $2`, item, comment)
	return err
}

func (store) reactions(ctx context.Context, q database.Querier, item, comment int64, c cut) ([]Reaction, int64, error) {
	return pageOf(ctx, q, scanReaction, `SELECT `+reactionColumns, `FROM articles_reactions x WHERE x.item = $1 AND x.comment = $2`,
		`ORDER BY x.number DESC LIMIT $3 OFFSET $4`, c, item, comment)
}

// reactionsOf lists the reactions to several items and their comments.
func (store) reactionsOf(ctx context.Context, q database.Querier, items []int64, limit int64) ([]Reaction, error) {
	in, args := database.In(2, items)
	return database.All(ctx, q, scanReaction, `SELECT `+reactionColumns+` FROM articles_reactions x WHERE x.item IN `+in+`
		ORDER BY x.number DESC LIMIT $1`, append([]any{limit}, args...)...)
}

package articles

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// mark is a kind of sign that a person leaves once on a thing and may take
// away: the statements that set it, clear it, look for it and count it.
type mark struct{ set, clear, has, count string }

func likeMark() mark {
	return mark{
		set:   `INSERT INTO articles_likes (item, user_id, created_at) VALUES ($1, $2, $3) ON CONFLICT (item, user_id) DO NOTHING`,
		clear: `DELETE FROM articles_likes WHERE item = $1 AND user_id = $2`,
		has:   `SELECT COUNT(*) FROM articles_likes WHERE item = $1 AND user_id = $2`,
		count: `UPDATE articles_items SET likes_count = likes_count + $1 WHERE number = $2`,
	}
}

func stockMark() mark {
	return mark{
		set:   `INSERT INTO articles_stocks (item, user_id, created_at) VALUES ($1, $2, $3) ON CONFLICT (item, user_id) DO NOTHING`,
		clear: `DELETE FROM articles_stocks WHERE item = $1 AND user_id = $2`,
		has:   `SELECT COUNT(*) FROM articles_stocks WHERE item = $1 AND user_id = $2`,
		count: `UPDATE articles_items SET stocks_count = stocks_count + $1 WHERE number = $2`,
	}
}

func followMark() mark {
	return mark{
		set:   `INSERT INTO articles_tag_follows (tag, user_id, created_at) VALUES ($1, $2, $3) ON CONFLICT (tag, user_id) DO NOTHING`,
		clear: `DELETE FROM articles_tag_follows WHERE tag = $1 AND user_id = $2`,
		has:   `SELECT COUNT(*) FROM articles_tag_follows WHERE tag = $1 AND user_id = $2`,
		count: `UPDATE articles_tags SET followers_count = followers_count + $1 WHERE number = $2`,
	}
}

// putMark leaves the mark; a second time changes nothing, the count included.
// It tells by how much the count changed.
func (st store) putMark(ctx context.Context, q database.Querier, m mark, thing, userID int64, at time.Time) (int64, error) {
	done, err := q.Exec(ctx, m.set, thing, userID, database.Time(at))
	if err != nil || done.RowsAffected == 0 {
		return 0, err
	}
	return 1, st.count(ctx, q, m.count, 1, thing)
}

func (st store) clearMark(ctx context.Context, q database.Querier, m mark, thing, userID int64) (int64, error) {
	done, err := q.Exec(ctx, m.clear, thing, userID)
	if err != nil || done.RowsAffected == 0 {
		return 0, err
	}
	return -1, st.count(ctx, q, m.count, -1, thing)
}

func (store) hasMark(ctx context.Context, q database.Querier, m mark, thing, userID int64) (bool, error) {
	var n int64
	err := q.QueryRow(ctx, m.has, thing, userID).Scan(&n)
	return n > 0, err
}

// Like is that somebody liked an item.
type Like struct {
	UserID    int64
	CreatedAt time.Time
}

func (store) likes(ctx context.Context, q database.Querier, item int64, c cut) ([]Like, int64, error) {
	return pageOf(ctx, q, func(s database.Scanner) (l Like, err error) {
		return l, s.Scan(&l.UserID, database.ScanTime(&l.CreatedAt))
	}, `SELECT l.user_id, l.created_at`, `FROM articles_likes l WHERE l.item = $1`, `ORDER BY l.number DESC LIMIT $2 OFFSET $3`, c, item)
}

func (store) stocked(ctx context.Context, q database.Querier, t sight, userID int64, c cut) ([]int64, int64, error) {
	b := builder{}
	from := `FROM articles_stocks k JOIN articles_items i ON i.number = k.item WHERE ` + b.with(condition{`k.user_id = ?`, []any{userID}}) +
		` AND NOT i.private AND ` + t.where(&b)
	return pageOf(ctx, q, scanNumber, `SELECT i.number`, from, `ORDER BY k.number DESC`+b.limits(), c, b.args...)
}

func (store) followed(ctx context.Context, q database.Querier, teamID, userID int64, c cut) ([]Tag, int64, error) {
	return pageOf(ctx, q, scanTag, `SELECT `+tagColumns,
		`FROM articles_tag_follows f JOIN articles_tags t ON t.number = f.tag WHERE f.user_id = $1 AND t.team_id = $2`,
		`ORDER BY f.number DESC LIMIT $3 OFFSET $4`, c, userID, teamID)
}

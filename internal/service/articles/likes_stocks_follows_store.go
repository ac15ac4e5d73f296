package articles

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/groups"
)

// relation is a table of who likes, stocks or follows what: the column of what, and
// the statement that counts its users, empty where nothing is counted.
type relation struct{ table, column, count string }

func likes() relation  { return relation{"articles_likes", "item", countLikes} }
func stocks() relation { return relation{"articles_stocks", "item", countStocks} }

func thanks() relation { return relation{"articles_thanks", "comment", ""} }

func tagFollows() relation  { return relation{"articles_tag_follows", "tag", countTagFollowers} }
func userFollows() relation { return relation{"articles_user_follows", "thing", countFollowers} }

const (
	countLikes        = `UPDATE articles_items SET likes_count = likes_count + $1 WHERE number = $2`
	countStocks       = `UPDATE articles_items SET stocks_count = stocks_count + $1 WHERE number = $2`
	countTagFollowers = `UPDATE articles_tags SET followers_count = followers_count + $1 WHERE number = $2`
	countFollowees    = `INSERT INTO articles_people (items_count, followees_count, user_id) VALUES (0, $1, $2)
		ON CONFLICT (user_id) DO UPDATE
		SET followees_count = articles_people.followees_count + excluded.followees_count`
	countFollowers = `INSERT INTO articles_people (items_count, followers_count, user_id) VALUES (0, $1, $2)
		ON CONFLICT (user_id) DO UPDATE
		SET followers_count = articles_people.followers_count + excluded.followers_count`
)

// setRelation adds or removes a row and returns by how much the count changed:
// doing it twice changes nothing.
func setRelation(ctx context.Context, q database.Querier, r relation, thing, userID int64, on bool, at time.Time) (
	by int64, err error,
) {
	var done database.Result
	if by = 1; on {
		done, err = q.Exec(ctx, `INSERT INTO `+r.table+` (`+r.column+`, user_id, created_at) VALUES ($1, $2, $3)
			ON CONFLICT (`+r.column+`, user_id) DO NOTHING`, thing, userID, database.Time(at))
	} else {
		by = -1
		done, err = q.Exec(ctx, `DELETE FROM `+r.table+` WHERE `+r.column+` = $1 AND user_id = $2`, thing, userID)
	}
	if err != nil || done.RowsAffected == 0 || r.count == "" {
		return 0, err
	}
	return by, addToCount(ctx, q, r.count, by, thing)
}

// checkRelation is not found unless there is the row.
func checkRelation(ctx context.Context, q database.Querier, r relation, thing, userID int64) error {
	_, err := orNotFound(database.One(ctx, q, scanNumber,
		`SELECT number FROM `+r.table+` WHERE `+r.column+` = $1 AND user_id = $2`, thing, userID))
	return err
}

// listRelatedUsers lists the users who like, stock or follow something, the last
// one first.
func listRelatedUsers(ctx context.Context, q database.Querier, r relation, thing int64, p page.Numbers) (
	[]author, int64, error,
) {
	return page.List(ctx, q, scanAuthor, p, `SELECT user_id`, `FROM `+r.table+` WHERE `+r.column+` = $1`,
		`ORDER BY number DESC`, thing)
}

func listLikes(ctx context.Context, q database.Querier, item int64, p page.Numbers) ([]Like, int64, error) {
	return page.List(ctx, q, func(s database.Scanner) (l Like, err error) {
		return l, s.Scan(&l.UserID, database.ScanTime(&l.CreatedAt))
	}, p, `SELECT user_id, created_at`, `FROM articles_likes WHERE item = $1`, `ORDER BY number DESC`, item)
}

// listStockedItems lists the items that a user stocked.
func listStockedItems(ctx context.Context, q database.Querier, v groups.Visibility, userID int64, p page.Numbers) (
	[]int64, int64, error,
) {
	return page.List(ctx, q, scanNumber, p, `SELECT i.number`, `FROM articles_stocks k
		JOIN articles_items i ON i.number = k.item WHERE `+itemVisible+` AND NOT i.private AND k.user_id = $4`,
		`ORDER BY k.number DESC`, v.Args(userID)...)
}

func listFollowees(ctx context.Context, q database.Querier, userID int64, p page.Numbers) ([]author, int64, error) {
	return page.List(ctx, q, scanAuthor, p, `SELECT thing`, `FROM articles_user_follows WHERE user_id = $1`,
		`ORDER BY number DESC`, userID)
}

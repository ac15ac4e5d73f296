package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// tally is what is counted about a person.
type tally struct{ user, items, followees, followers int64 }

func scanTally(s database.Scanner) (t tally, err error) {
	err = s.Scan(&t.user, &t.items, &t.followees, &t.followers)
	return t, err
}

// tallies are those of several people; whoever is left out has done nothing yet.
func (store) tallies(ctx context.Context, q database.Querier, users []int64) ([]tally, error) {
	in, args := database.In(1, users)
	return database.All(ctx, q, scanTally, `SELECT user_id, items_count, followees_count, followers_count FROM articles_people WHERE user_id IN `+in, args...)
}

// authors are the users with items on the public site that are not private.
func (store) authors(ctx context.Context, q database.Querier, c cut) (ids []int64, total int64, err error) {
	if err := q.QueryRow(ctx, `SELECT COUNT(*) FROM articles_people WHERE items_count > 0`).Scan(&total); err != nil {
		return nil, 0, err
	}
	ids, err = database.All(ctx, q, scanNumber, `SELECT user_id FROM articles_people WHERE items_count > 0
		ORDER BY user_id DESC LIMIT $1 OFFSET $2`, c.limit, c.offset)
	return ids, total, err
}

const (
	countFollowees = `INSERT INTO articles_people (items_count, followees_count, user_id) VALUES (0, $1, $2)
		ON CONFLICT (user_id) DO UPDATE SET followees_count = articles_people.followees_count + excluded.followees_count`
	countFollowers = `INSERT INTO articles_people (items_count, followers_count, user_id) VALUES (0, $1, $2)
		ON CONFLICT (user_id) DO UPDATE SET followers_count = articles_people.followers_count + excluded.followers_count`
)

// personMark is following a person.
func personMark() mark {
	return mark{
		set:   `INSERT INTO articles_user_follows (thing, user_id, created_at) VALUES ($1, $2, $3) ON CONFLICT (thing, user_id) DO NOTHING`,
		clear: `DELETE FROM articles_user_follows WHERE thing = $1 AND user_id = $2`,
		has:   `SELECT COUNT(*) FROM articles_user_follows WHERE thing = $1 AND user_id = $2`,
		count: countFollowers,
	}
}

// The lists of people, by id.

func (store) followees(ctx context.Context, q database.Querier, userID int64, c cut) ([]int64, int64, error) {
	return pageOf(ctx, q, scanNumber, `SELECT f.thing`, `FROM articles_user_follows f WHERE f.user_id = $1`, `ORDER BY f.number DESC LIMIT $2 OFFSET $3`, c, userID)
}

func (store) followers(ctx context.Context, q database.Querier, userID int64, c cut) ([]int64, int64, error) {
	return pageOf(ctx, q, scanNumber, `SELECT f.user_id`, `FROM articles_user_follows f WHERE f.thing = $1`, `ORDER BY f.number DESC LIMIT $2 OFFSET $3`, c, userID)
}

func (store) stockers(ctx context.Context, q database.Querier, item int64, c cut) ([]int64, int64, error) {
	return pageOf(ctx, q, scanNumber, `SELECT k.user_id`, `FROM articles_stocks k WHERE k.item = $1`, `ORDER BY k.number DESC LIMIT $2 OFFSET $3`, c, item)
}

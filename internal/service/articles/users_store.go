package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
)

func scanAuthor(s database.Scanner) (a author, err error) {
	err = s.Scan(&a.UserID)
	return a, err
}

// userCounts is what is counted about a user.
type userCounts struct{ items, followees, followers int64 }

// countsByUser are those of several users. A user who is left out has written and
// followed nothing.
func countsByUser(ctx context.Context, q database.Querier, users []int64) (map[int64]userCounts, error) {
	out := map[int64]userCounts{}
	in, args := database.In(1, users)
	_, err := database.All(ctx, q, func(s database.Scanner) (id int64, err error) {
		var c userCounts
		err = s.Scan(&id, &c.items, &c.followees, &c.followers)
		out[id] = c
		return id, err
	}, `SELECT user_id, items_count, followees_count, followers_count FROM articles_people
		WHERE user_id IN `+in, args...)
	return out, err
}

// listAuthors lists the users with items on the public site that are not private.
func listAuthors(ctx context.Context, q database.Querier, p page.Numbers) ([]author, int64, error) {
	return page.List(ctx, q, scanAuthor, p, `SELECT user_id`, `FROM articles_people WHERE items_count > 0`,
		`ORDER BY user_id DESC`)
}

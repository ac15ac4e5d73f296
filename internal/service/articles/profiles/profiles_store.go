package profiles

import (
	"context"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

func key(user int64) string { return "articles/profile/" + strconv.FormatInt(user, 10) }

func columns() string {
	names := Names()
	return strings.Join(names[:], ", ")
}

func byUsers(ctx context.Context, q database.Querier, users []int64) (map[int64]Profile, error) {
	out := map[int64]Profile{}
	in, args := database.In(1, users)
	_, err := database.All(ctx, q, func(s database.Scanner) (id int64, err error) {
		var p Profile
		to := []any{&id}
		for n := range p {
			to = append(to, &p[n])
		}
		err = s.Scan(to...)
		out[id] = p
		return id, err
	}, `SELECT user_id, `+columns()+` FROM articles_profiles WHERE user_id IN `+in, args...)
	return out, err
}

func upsert(ctx context.Context, q database.Querier, user int64, p Profile) error {
	args, values, sets := []any{user}, []string{"$1"}, []string{}
	for n, name := range Names() {
		args = append(args, p[n])
		values = append(values, "$"+strconv.Itoa(len(args)))
		sets = append(sets, name+" = excluded."+name)
	}
	_, err := q.Exec(ctx, `INSERT INTO articles_profiles (user_id, `+columns()+`)
		VALUES (`+strings.Join(values, ", ")+`) ON CONFLICT (user_id) DO UPDATE SET `+strings.Join(sets, ", "), args...)
	return err
}

package articles

import (
	"context"
	"encoding/json"

	"stoa.dev/stoa/internal/platform/database"
)

const tagColumns = `t.number, t.name, t.items_count, t.followers_count`

func scanTag(s database.Scanner) (t Tag, err error) {
	err = s.Scan(&t.Number, &t.Name, &t.Items, &t.Followers)
	return t, err
}

func (store) tag(ctx context.Context, q database.Querier, teamID int64, folded string) (Tag, error) {
	return missing(database.One(ctx, q, scanTag, `SELECT `+tagColumns+` FROM articles_tags t WHERE t.team_id = $1 AND t.folded = $2`, teamID, folded))
}

// tagOrders are the orders of a list of tags by the sort parameter.
func tagOrder(sort string) (string, bool) {
	switch sort {
	case "":
		return `ORDER BY t.number DESC LIMIT $2 OFFSET $3`, true
	case "count":
		return `ORDER BY t.items_count DESC, t.number DESC LIMIT $2 OFFSET $3`, true
	case "name":
		return `ORDER BY t.folded LIMIT $2 OFFSET $3`, true
	}
	return "", false
}

func (store) tags(ctx context.Context, q database.Querier, teamID int64, order string, c cut) ([]Tag, int64, error) {
	return pageOf(ctx, q, scanTag, `SELECT `+tagColumns, `FROM articles_tags t WHERE t.team_id = $1`, order, c, teamID)
}

// makeTag finds a tag or makes it; the first spelling stays.
func (st store) makeTag(ctx context.Context, q database.Querier, teamID int64, name, folded string) (Tag, error) {
	if _, err := q.Exec(ctx, `INSERT INTO articles_tags (team_id, name, folded) VALUES ($1, $2, $3)
		ON CONFLICT (team_id, folded) DO NOTHING`, teamID, name, folded); err != nil {
		return Tag{}, err
	}
	return st.tag(ctx, q, teamID, folded)
}

// putTagging tags an item, or changes the versions of a tag it has.
func (store) putTagging(ctx context.Context, q database.Querier, item, tag int64, place int, versions []string) error {
	text, err := json.Marshal(versions)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO articles_taggings (item, tag, place, versions) VALUES ($1, $2, $3, $4)
		ON CONFLICT (item, tag) DO UPDATE SET place = excluded.place, versions = excluded.versions`, item, tag, place, string(text))
	return err
}

func (store) deleteTagging(ctx context.Context, q database.Querier, item, tag int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_taggings WHERE item = $1 AND tag = $2`, item, tag)
	return err
}

// tagNumbers are the tags of an item, by number.
func (store) tagNumbers(ctx context.Context, q database.Querier, item int64) ([]int64, error) {
	return database.All(ctx, q, func(s database.Scanner) (n int64, err error) { return n, s.Scan(&n) },
		`SELECT tag FROM articles_taggings WHERE item = $1 ORDER BY tag`, item)
}

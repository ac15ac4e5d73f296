package tagging

import (
	"context"
	"encoding/json"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

const columns = `t.number, t.name, t.items_count, t.followers_count`

func scanTag(s database.Scanner) (t Tag, err error) {
	err = s.Scan(&t.Number, &t.Name, &t.Items, &t.Followers)
	return t, err
}

// ByName finds a tag of a site whatever the case of its name.
func ByName(ctx context.Context, q database.Querier, teamID int64, name string) (Tag, error) {
	t, err := database.One(ctx, q, scanTag, `SELECT `+columns+` FROM articles_tags t
		WHERE t.team_id = $1 AND t.folded = $2`, teamID, Fold(name))
	if errors.Is(err, database.ErrNotFound) {
		return t, refusal.Missing()
	}
	return t, err
}

// order is the order of a list of tags by the sort parameter.
func order(sort string) (string, error) {
	switch sort {
	case "":
		return `ORDER BY t.number DESC`, nil
	case "count":
		return `ORDER BY t.items_count DESC, t.number DESC`, nil
	case "name":
		return `ORDER BY t.folded`, nil
	}
	return "", refusal.New(refusal.BadRequest, "sort must be count or name")
}

// List lists the tags of a site: by count, by name, or the newest first.
func List(ctx context.Context, q database.Querier, teamID int64, sort string, p page.Numbers) ([]Tag, int64, error) {
	by, err := order(sort)
	if err != nil {
		return nil, 0, err
	}
	return page.List(ctx, q, scanTag, p, `SELECT `+columns, `FROM articles_tags t WHERE t.team_id = $1`, by, teamID)
}

// Followed lists the tags of a site that a user follows, the last one first.
func Followed(ctx context.Context, q database.Querier, teamID, userID int64, p page.Numbers) ([]Tag, int64, error) {
	return page.List(ctx, q, scanTag, p, `SELECT `+columns, `FROM articles_tag_follows f
		JOIN articles_tags t ON t.number = f.tag WHERE f.user_id = $1 AND t.team_id = $2`,
		`ORDER BY f.number DESC`, userID, teamID)
}

// Upsert finds a tag or makes it; the first spelling stays.
func Upsert(ctx context.Context, q database.Querier, teamID int64, name string) (Tag, error) {
	if _, err := q.Exec(ctx, `INSERT INTO articles_tags (team_id, name, folded) VALUES ($1, $2, $3)
		ON CONFLICT (team_id, folded) DO NOTHING`, teamID, name, Fold(name)); err != nil {
		return Tag{}, err
	}
	return ByName(ctx, q, teamID, name)
}

// Attach tags an item, or changes the versions of a tag it has.
func Attach(ctx context.Context, q database.Querier, item, tag int64, place int, versions []string) error {
	text, err := json.Marshal(versions)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO articles_taggings (item, tag, place, versions) VALUES ($1, $2, $3, $4)
		ON CONFLICT (item, tag) DO UPDATE SET place = excluded.place, versions = excluded.versions`,
		item, tag, place, string(text))
	return err
}

func detach(ctx context.Context, q database.Querier, item, tag int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_taggings WHERE item = $1 AND tag = $2`, item, tag)
	return err
}

// Numbers are the tags of an item, by number.
func Numbers(ctx context.Context, q database.Querier, item int64) ([]int64, error) {
	return database.All(ctx, q, func(s database.Scanner) (n int64, err error) { return n, s.Scan(&n) },
		`SELECT tag FROM articles_taggings WHERE item = $1 ORDER BY tag`, item)
}

// OfItem are the tags of one item.
func OfItem(ctx context.Context, q database.Querier, item int64) ([]Tagging, error) {
	tags, err := ByItem(ctx, q, []int64{item})
	return tags[item], err
}

// ByItem are the tags of items, in the author's order.
func ByItem(ctx context.Context, q database.Querier, items []int64) (map[int64][]Tagging, error) {
	tags := map[int64][]Tagging{}
	in, args := database.In(1, items)
	_, err := database.All(ctx, q, func(s database.Scanner) (none struct{}, err error) {
		var (
			item     int64
			t        Tagging
			versions string
		)
		if err := s.Scan(&item, &t.Name, &versions); err != nil {
			return none, err
		}
		if t.Versions = []string{}; versions != "[]" {
			err = json.Unmarshal([]byte(versions), &t.Versions)
		}
		tags[item] = append(tags[item], t)
		return none, err
	}, `SELECT g.item, t.name, g.versions FROM articles_taggings g JOIN articles_tags t ON t.number = g.tag
		WHERE g.item IN `+in+` ORDER BY g.item, g.place, g.number`, args...)
	return tags, err
}

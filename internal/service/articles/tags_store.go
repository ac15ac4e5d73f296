package articles

import (
	"context"
	"encoding/json"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
)

const tagColumns = `t.number, t.name, t.items_count, t.followers_count`

func scanTag(s database.Scanner) (t Tag, err error) {
	err = s.Scan(&t.Number, &t.Name, &t.Items, &t.Followers)
	return t, err
}

func tagByName(ctx context.Context, q database.Querier, teamID int64, folded string) (Tag, error) {
	return orNotFound(database.One(ctx, q, scanTag, `SELECT `+tagColumns+` FROM articles_tags t
		WHERE t.team_id = $1 AND t.folded = $2`, teamID, folded))
}

// tagOrder is the order of a list of tags by the sort parameter.
func tagOrder(sort string) (string, bool) {
	switch sort {
	case "":
		return `ORDER BY t.number DESC`, true
	case "count":
		return `ORDER BY t.items_count DESC, t.number DESC`, true
	case "name":
		return `ORDER BY t.folded`, true
	}
	return "", false
}

func listTags(ctx context.Context, q database.Querier, teamID int64, order string, p page.Numbers) (
	[]Tag, int64, error,
) {
	return page.List(ctx, q, scanTag, p, `SELECT `+tagColumns, `FROM articles_tags t WHERE t.team_id = $1`,
		order, teamID)
}

// upsertTag finds a tag or makes it; the first spelling stays.
func upsertTag(ctx context.Context, q database.Querier, teamID int64, name, folded string) (Tag, error) {
	if _, err := q.Exec(ctx, `INSERT INTO articles_tags (team_id, name, folded) VALUES ($1, $2, $3)
		ON CONFLICT (team_id, folded) DO NOTHING`, teamID, name, folded); err != nil {
		return Tag{}, err
	}
	return tagByName(ctx, q, teamID, folded)
}

// upsertTagging tags an item, or changes the versions of a tag it has.
func upsertTagging(ctx context.Context, q database.Querier, item, tag int64, place int, versions []string) error {
	text, err := json.Marshal(versions)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO articles_taggings (item, tag, place, versions) VALUES ($1, $2, $3, $4)
		ON CONFLICT (item, tag) DO UPDATE SET place = excluded.place, versions = excluded.versions`,
		item, tag, place, string(text))
	return err
}

func deleteTagging(ctx context.Context, q database.Querier, item, tag int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_taggings WHERE item = $1 AND tag = $2`, item, tag)
	return err
}

// tagNumbers are the tags of an item, by number.
func tagNumbers(ctx context.Context, q database.Querier, item int64) ([]int64, error) {
	return database.All(ctx, q, scanNumber, `SELECT tag FROM articles_taggings WHERE item = $1 ORDER BY tag`, item)
}

// setTags sets the tags of items.
func setTags(ctx context.Context, q database.Querier, items []Item) error {
	numbers := make([]int64, len(items))
	for n, i := range items {
		numbers[n] = i.Number
	}
	tags, err := taggingsByItem(ctx, q, numbers)
	for n := range items {
		items[n].Tags = tags[items[n].Number]
	}
	return err
}

// itemTaggings are the tags of one item.
func itemTaggings(ctx context.Context, q database.Querier, item int64) ([]Tagging, error) {
	tags, err := taggingsByItem(ctx, q, []int64{item})
	return tags[item], err
}

// taggingsByItem are the tags of items, in the author's order.
func taggingsByItem(ctx context.Context, q database.Querier, items []int64) (map[int64][]Tagging, error) {
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

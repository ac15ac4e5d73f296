package articles

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/articles/markdown"
)

// store is the SQL of the service. It holds nothing.
type store struct{}

const itemColumns = `i.number, i.id, i.team_id, i.user_id, COALESCE(i.group_number, 0), i.title, i.body, i.rendered, i.private, i.coediting, i.slide,
	i.comments_count, i.likes_count, i.reactions_count, i.stocks_count, i.page_views, i.created_at, i.updated_at`

func scanItem(s database.Scanner) (i Item, err error) {
	err = s.Scan(&i.Number, &i.ID, &i.TeamID, &i.UserID, &i.GroupNumber, &i.Title, &i.Body, &i.Rendered, &i.Private, &i.Coediting, &i.Slide,
		&i.Comments, &i.Likes, &i.Reactions, &i.Stocks, &i.Views, database.ScanTime(&i.CreatedAt), database.ScanTime(&i.UpdatedAt))
	return i, err
}

// headColumns leave out the texts, for whoever does not show the item.
const headColumns = `i.number, i.id, i.team_id, i.user_id, COALESCE(i.group_number, 0), i.title, '', '', i.private, i.coediting, i.slide,
	i.comments_count, i.likes_count, i.reactions_count, i.stocks_count, i.page_views, i.created_at, i.updated_at`

func scanNumber(s database.Scanner) (n int64, err error) {
	err = s.Scan(&n)
	return n, err
}

// missing turns an absent row into the contract's answer.
func missing[T any](v T, err error) (T, error) {
	if errors.Is(err, database.ErrNotFound) {
		return v, errNotFound()
	}
	return v, err
}

// item finds an item of the edition, without its tags.
func (store) item(ctx context.Context, q database.Querier, teamID int64, id string) (Item, error) {
	return missing(database.One(ctx, q, scanItem, `SELECT `+itemColumns+` FROM articles_items i WHERE i.id = $1 AND i.team_id = $2`, id, teamID))
}

// itemHead is item without the texts.
func (store) itemHead(ctx context.Context, q database.Querier, teamID int64, id string) (Item, error) {
	return missing(database.One(ctx, q, scanItem, `SELECT `+headColumns+` FROM articles_items i WHERE i.id = $1 AND i.team_id = $2`, id, teamID))
}

// items finds several at once, with their tags, in no particular order.
func (st store) items(ctx context.Context, q database.Querier, numbers []int64, take taker) ([]Item, error) {
	in, args := database.In(1, numbers)
	list, err := database.All(ctx, q, weighing(scanItem, take), `SELECT `+itemColumns+` FROM articles_items i WHERE i.number IN `+in, args...)
	if err != nil {
		return nil, err
	}
	tags, err := st.taggingsOf(ctx, q, numbers)
	for n := range list {
		list[n].Tags = tags[list[n].Number]
	}
	return list, err
}

// heads are items without texts and tags, in no particular order.
// headsWithTags are items without their texts.
func (st store) headsWithTags(ctx context.Context, q database.Querier, numbers []int64) ([]Item, error) {
	list, err := st.heads(ctx, q, numbers)
	if err != nil {
		return nil, err
	}
	tags, err := st.taggingsOf(ctx, q, numbers)
	for n := range list {
		list[n].Tags = tags[list[n].Number]
	}
	return list, err
}

// taker takes memory of the process for a row that was read, of so many bytes of
// text. Rows are read one by one, so that a list is refused before it is whole.
type taker func(bytes int) error

// anything is the taker of rows that nobody outside asked for.
func anything(int) error { return nil }

// weighing is a scan that takes memory for what it has read.
func weighing[T interface{ bytes() int }](scan func(database.Scanner) (T, error), take taker) func(database.Scanner) (T, error) {
	return func(s database.Scanner) (T, error) {
		row, err := scan(s)
		if err == nil {
			err = take(row.bytes())
		}
		return row, err
	}
}

func (i Item) bytes() int     { return len(i.Body) + len(i.Rendered) }
func (c Comment) bytes() int  { return len(c.Body) + len(c.Rendered) }
func (t Template) bytes() int { return len(t.Body) }

func (store) heads(ctx context.Context, q database.Querier, numbers []int64) ([]Item, error) {
	in, args := database.In(1, numbers)
	return database.All(ctx, q, scanItem, `SELECT `+headColumns+` FROM articles_items i WHERE i.number IN `+in, args...)
}

func groupOrNull(number int64) *int64 {
	if number == 0 {
		return nil
	}
	return &number
}

func (store) insertItem(ctx context.Context, q database.Querier, i Item) (number int64, err error) {
	err = q.QueryRow(ctx, `INSERT INTO articles_items (id, team_id, user_id, group_number, title, body, rendered, private, coediting, slide, renderer, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING number`,
		i.ID, i.TeamID, i.UserID, groupOrNull(i.GroupNumber), i.Title, i.Body, i.Rendered, i.Private, i.Coediting, i.Slide, markdown.Version,
		database.Time(i.CreatedAt), database.Time(i.UpdatedAt)).Scan(&number)
	return number, err
}

func (store) updateItem(ctx context.Context, q database.Querier, i Item) error {
	_, err := q.Exec(ctx, `UPDATE articles_items SET title = $1, body = $2, rendered = $3, private = $4, coediting = $5, slide = $6, updated_at = $7,
		group_number = $8, renderer = $9 WHERE number = $10`, i.Title, i.Body, i.Rendered, i.Private, i.Coediting, i.Slide, database.Time(i.UpdatedAt),
		groupOrNull(i.GroupNumber), markdown.Version, i.Number)
	return err
}

func (store) deleteItem(ctx context.Context, q database.Querier, number int64) error {
	_, err := q.Exec(ctx, `DELETE FROM articles_items WHERE number = $1`, number)
	return err
}

// sight is what a visitor may see of an edition: their own private items, and
// in teams what is in no private group that they did not join.
type sight struct {
	teamID, viewer int64
	// all is true where nothing is hidden but private items.
	all bool
}

const (
	ownPrivate = `(NOT i.private OR i.user_id = ?)`
	unhidden   = `(i.group_number IS NULL OR NOT EXISTS (SELECT 1 FROM articles_groups o WHERE o.number = i.group_number AND o.private AND NOT EXISTS
		(SELECT 1 FROM articles_group_members m WHERE m.group_number = o.number AND m.user_id = ?)))`
)

// where is the condition for rows of articles_items i.
func (t sight) where(b *builder) string {
	sql := b.with(condition{`i.team_id = ? AND ` + ownPrivate, []any{t.teamID, t.viewer}})
	if !t.all {
		sql += ` AND ` + b.with(condition{unhidden, []any{t.viewer}})
	}
	return sql
}

func (store) itemsOf(ctx context.Context, q database.Querier, t sight, userID int64, c cut) ([]int64, int64, error) {
	b := builder{}
	from := `FROM articles_items i WHERE ` + b.with(condition{`i.user_id = ?`, []any{userID}}) + ` AND ` + t.where(&b)
	return pageOf(ctx, q, scanNumber, `SELECT i.number`, from, `ORDER BY i.number DESC`+b.limits(), c, b.args...)
}

func (store) itemsTagged(ctx context.Context, q database.Querier, t sight, tag int64, c cut) ([]int64, int64, error) {
	b := builder{}
	from := `FROM articles_taggings g JOIN articles_items i ON i.number = g.item WHERE ` + b.with(condition{`g.tag = ?`, []any{tag}}) + ` AND ` + t.where(&b)
	return pageOf(ctx, q, scanNumber, `SELECT i.number`, from, `ORDER BY g.number DESC`+b.limits(), c, b.args...)
}

// shownItems lists what an edition shows; countShown counts it.
func (store) shownItems(ctx context.Context, q database.Querier, teamID int64, c cut) ([]int64, error) {
	return database.All(ctx, q, scanNumber, `SELECT i.number FROM articles_items i WHERE i.team_id = $1 AND NOT i.private
		ORDER BY i.number DESC LIMIT $2 OFFSET $3`, teamID, c.limit, c.offset)
}

func (store) countShown(ctx context.Context, q database.Querier, teamID int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM articles_items i WHERE i.team_id = $1 AND NOT i.private`, teamID).Scan(&n)
	return n, err
}

// cut is the part of a list that a page shows.
type cut struct{ limit, offset int64 }

// pageOf reads one page and counts all rows. The order's two parameters follow
// those of the condition.
func pageOf[T any](ctx context.Context, q database.Querier, scan func(database.Scanner) (T, error), columns, from, order string, c cut, args ...any) ([]T, int64, error) {
	list, err := database.All(ctx, q, scan, columns+` `+from+` `+order, append(args, c.limit, c.offset)...)
	if err != nil {
		return nil, 0, err
	}
	if n, known := known(list, c); known {
		return list, n, nil
	}
	var total int64
	err = q.QueryRow(ctx, `SELECT COUNT(*) `+from, args...).Scan(&total)
	return list, total, err
}

// known is the total where the page tells it: a page that is not full, and not
// empty, is the last.
func known[T any](list []T, c cut) (total int64, known bool) {
	n := int64(len(list))
	return c.offset + n, n < c.limit && (n > 0 || c.offset == 0)
}

// count changes one counter; the text is one of the constants below.
func (store) count(ctx context.Context, q database.Querier, statement string, by, number int64) error {
	_, err := q.Exec(ctx, statement, by, number)
	return err
}

const (
	countComments  = `UPDATE articles_items SET comments_count = comments_count + $1 WHERE number = $2`
	countViews     = `UPDATE articles_items SET page_views = page_views + $1 WHERE number = $2`
	countTagItems  = `UPDATE articles_tags SET items_count = items_count + $1 WHERE number = $2`
	countUserItems = `INSERT INTO articles_people (items_count, user_id) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET items_count = articles_people.items_count + excluded.items_count`
)

func scanTagging(s database.Scanner) (t Tagging, err error) {
	var versions string
	if err := s.Scan(&t.Name, &versions); err != nil {
		return t, err
	}
	return t, readVersions(versions, &t)
}

func readVersions(text string, t *Tagging) error {
	if text == "[]" {
		t.Versions = []string{}
		return nil
	}
	return json.Unmarshal([]byte(text), &t.Versions)
}

// taggings lists an item's tags in the author's order.
func (store) taggings(ctx context.Context, q database.Querier, item int64) ([]Tagging, error) {
	return database.All(ctx, q, scanTagging, `SELECT t.name, g.versions FROM articles_taggings g JOIN articles_tags t ON t.number = g.tag
		WHERE g.item = $1 ORDER BY g.place, g.number`, item)
}

// taggingsOf is taggings for several items.
func (store) taggingsOf(ctx context.Context, q database.Querier, items []int64) (map[int64][]Tagging, error) {
	in, args := database.In(1, items)
	out := map[int64][]Tagging{}
	_, err := database.All(ctx, q, func(s database.Scanner) (none struct{}, err error) {
		var (
			item     int64
			t        Tagging
			versions string
		)
		if err := s.Scan(&item, &t.Name, &versions); err != nil {
			return none, err
		}
		err = readVersions(versions, &t)
		out[item] = append(out[item], t)
		return none, err
	}, `SELECT g.item, t.name, g.versions FROM articles_taggings g JOIN articles_tags t ON t.number = g.tag
		WHERE g.item IN `+in+` ORDER BY g.item, g.place, g.number`, args...)
	return out, err
}

// staleItems are items that another version of the renderer made.
func (store) staleItems(ctx context.Context, q database.Querier, limit int64) ([]int64, error) {
	return database.All(ctx, q, scanNumber, `SELECT i.number FROM articles_items i WHERE i.renderer <> `+strconv.Itoa(markdown.Version)+`
		ORDER BY i.number LIMIT $1`, limit)
}

func (store) rerenderItem(ctx context.Context, q database.Querier, number int64, rendered string) error {
	_, err := q.Exec(ctx, `UPDATE articles_items SET rendered = $1, renderer = $2 WHERE number = $3`, rendered, markdown.Version, number)
	return err
}

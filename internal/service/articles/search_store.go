package articles

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

// index is the text index of an engine.
func (store) index(e database.Engine) textIndex {
	if e == database.Postgres {
		return postgresIndex{}
	}
	return sqliteIndex{}
}

// sqliteIndex is an FTS5 table. The words that were cut are its text.
type sqliteIndex struct{}

func (sqliteIndex) put(ctx context.Context, tx *database.Tx, number int64, e entry) error {
	_, err := tx.Exec(ctx, `INSERT OR REPLACE INTO articles_search (rowid, title, body, code, facets) VALUES ($1, $2, $3, $4, $5)`,
		number, strings.Join(e.title, " "), strings.Join(e.body, " "), strings.Join(e.code, " "), strings.Join(e.facets, " "))
	return err
}

func (sqliteIndex) drop(ctx context.Context, tx *database.Tx, number int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM articles_search WHERE rowid = $1`, number)
	return err
}

func (sqliteIndex) key() string   { return `articles_search.rowid` }
func (sqliteIndex) match() string { return `articles_search MATCH ?` }

func (sqliteIndex) expression(groups []group) string {
	return expression(groups, " AND ", " NOT ", " OR ", func(t term) string {
		columns := map[field]string{fieldTitle: "{title} : ", fieldBody: "{body code} : ", fieldCode: "{code} : "}
		text := columns[t.field] + `"` + strings.Join(t.words, " ") + `"`
		if t.open {
			text += " *"
		}
		return text
	})
}

// postgresIndex is a vector of words with their places and a weight for each
// part of the item.
type postgresIndex struct{}

func (postgresIndex) put(ctx context.Context, tx *database.Tx, number int64, e entry) error {
	_, err := tx.Exec(ctx, `INSERT INTO articles_search (item, terms) VALUES ($1, $2::tsvector)
		ON CONFLICT (item) DO UPDATE SET terms = excluded.terms`, number, vector(e))
	return err
}

func (postgresIndex) drop(ctx context.Context, tx *database.Tx, number int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM articles_search WHERE item = $1`, number)
	return err
}

func (postgresIndex) key() string   { return `articles_search.item` }
func (postgresIndex) match() string { return `articles_search.terms @@ (?)::tsquery` }

func (postgresIndex) expression(groups []group) string {
	return expression(groups, " & ", " & !", " | ", func(t term) string {
		weights := map[field]string{fieldTitle: "A", fieldBody: "CD", fieldCode: "C"}
		list := make([]string, len(t.words))
		for n, w := range t.words {
			mark := ""
			if t.open && n == len(t.words)-1 {
				mark = "*"
			}
			list[n] = "'" + w + "'"
			if mark += weights[t.field]; mark != "" {
				list[n] += ":" + mark
			}
		}
		return strings.Join(list, " <-> ")
	})
}

// holders are the numbers of the items that answer to a term, in order. They come as
// one text: a row for each would take longer than finding them. SQLite only.
func (store) holders(ctx context.Context, q database.Querier, t term) ([]int64, error) {
	var text string
	t.not = false
	expression := sqliteIndex{}.expression([]group{{words: []term{t}}})
	err := q.QueryRow(ctx, `SELECT COALESCE(group_concat(rowid, ' '), '') FROM articles_search WHERE articles_search MATCH $1`, expression).Scan(&text)
	if err != nil || text == "" {
		return nil, err
	}
	out := make([]int64, 0, len(text)/6)
	for number := range strings.SplitSeq(text, " ") {
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// gap keeps the last word of one part from being the neighbour of the first of
// the next.
const gap = 2

// vector writes the words with their places. Places beyond the engine's last
// are all the last, which the bounds of words keep far away.
func vector(e entry) string {
	var b strings.Builder
	place := 0
	for _, part := range []struct {
		words  []string
		weight string
	}{{e.title, "A"}, {e.facets, "B"}, {e.body, "D"}, {e.code, "C"}} {
		for _, w := range part.words {
			if place++; place > maxIndexed+300 {
				break
			}
			b.WriteString("'" + w + "':" + strconv.Itoa(place) + part.weight + " ")
		}
		place += gap
	}
	return b.String()
}

// expression puts the terms together. Every group has a term that is not turned
// around.
func expression(groups []group, and, not, or string, write func(term) string) string {
	list := make([]string, len(groups))
	for n, g := range groups {
		var yes, no string
		for _, t := range g.words {
			switch text := "(" + write(t) + ")"; {
			case t.not:
				no += not + text
			case yes == "":
				yes = text
			default:
				yes += and + text
			}
		}
		list[n] = "((" + yes + ")" + no + ")"
	}
	return strings.Join(list, or)
}

// search lists the items for which one of the groups holds. The statement is
// put together from constant pieces only; every value is a parameter.
func (st store) search(ctx context.Context, db *database.DB, q query, c cut, t totals) ([]int64, int64, error) {
	index := st.index(db.Engine())
	b := builder{}
	from, order := ``, index.key()+` DESC`
	if q.order != "" {
		order = q.order
	}
	switch rows := hasRows(q.groups); {
	case len(q.groups) == 1 && q.groups[0].whole:
		// Only the edition is asked for, and the rows know that themselves.
		from = `FROM articles_items i WHERE NOT i.private AND ` + b.with(condition{`i.team_id = ?`, []any{q.teamID}})
		for _, row := range q.groups[0].rows {
			from += ` AND ` + b.with(row)
		}
		if q.order == "" {
			order = `i.number DESC`
		}
	case !rows && q.order == "":
		from = `FROM articles_search WHERE ` + b.with(condition{index.match(), []any{index.expression(q.groups)}})
	case !rows || len(q.groups) == 1:
		from = `FROM articles_search JOIN articles_items i ON i.number = ` + index.key() + ` WHERE ` +
			b.with(condition{index.match(), []any{index.expression(q.groups)}})
		for _, row := range q.groups[0].rows {
			from += ` AND ` + b.with(row)
		}
	default:
		alternatives := make([]string, len(q.groups))
		for n, g := range q.groups {
			alternatives[n] = `i.number IN (SELECT ` + index.key() + ` FROM articles_search WHERE ` +
				b.with(condition{index.match(), []any{index.expression(q.groups[n : n+1])}}) + `)`
			for _, row := range g.rows {
				alternatives[n] += ` AND ` + b.with(row)
			}
		}
		from = `FROM articles_items i WHERE (` + strings.Join(alternatives, `) OR (`) + `)`
		if q.order == "" {
			order = `i.number DESC`
		}
	}
	number := `SELECT ` + index.key()
	if strings.HasPrefix(from, `FROM articles_items`) {
		number = `SELECT i.number`
	}
	list, err := database.All(ctx, db, scanNumber, number+` `+from+` ORDER BY `+order+b.limits(), append(b.args, c.limit, c.offset)...)
	if err != nil {
		return nil, 0, err
	}
	if n, known := known(list, c); known {
		return list, n, nil
	}
	total, err := t.of(from+fmt.Sprint(b.args), func() (n int64, err error) {
		return n, db.QueryRow(ctx, `SELECT COUNT(*) `+from, b.args...).Scan(&n)
	})
	return list, total, err
}

// totals remembers how many rows a condition finds.
type totals interface {
	of(key string, count func() (int64, error)) (int64, error)
}

func hasRows(groups []group) bool {
	for _, g := range groups {
		if len(g.rows) > 0 {
			return true
		}
	}
	return false
}

// builder numbers parameters.
type builder struct{ args []any }

// with puts numbers in the place of question marks.
func (b *builder) with(c condition) string {
	sql := c.sql
	for _, v := range c.values {
		b.args = append(b.args, v)
		sql = strings.Replace(sql, "?", "$"+strconv.Itoa(len(b.args)), 1)
	}
	return sql
}

// limits are the two parameters that follow all others.
func (b *builder) limits() string {
	return ` LIMIT $` + strconv.Itoa(len(b.args)+1) + ` OFFSET $` + strconv.Itoa(len(b.args)+2)
}

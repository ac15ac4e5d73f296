package search

import (
	"context"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
)

// engine is a database's way to find items by words. Both are given words that
// were cut here, so both find the same.
type engine interface {
	// put indexes an item, in place of what was known of it.
	put(ctx context.Context, tx *database.Tx, number int64, e entry) error
	delete(ctx context.Context, tx *database.Tx, number int64) error
	// expression writes alternatives of terms in the engine's own language.
	expression(groups []group) string
	// key is the column with the item's number; match the condition that an
	// expression holds, with ? for the expression.
	key() string
	match() string
}

func engineOf(e database.Engine) engine {
	if e == database.Postgres {
		return postgresEngine{}
	}
	return sqliteEngine{}
}

// sqliteEngine is an FTS5 table. The words that were cut are its text.
type sqliteEngine struct{}

func (sqliteEngine) put(ctx context.Context, tx *database.Tx, number int64, e entry) error {
	text := func(words []string) string { return strings.Join(words, " ") }
	_, err := tx.Exec(ctx, `INSERT OR REPLACE INTO articles_search (rowid, title, body, code, facets)
		VALUES ($1, $2, $3, $4, $5)`, number, text(e.title), text(e.body), text(e.code), text(e.facets))
	return err
}

func (sqliteEngine) delete(ctx context.Context, tx *database.Tx, number int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM articles_search WHERE rowid = $1`, number)
	return err
}

func (sqliteEngine) key() string   { return `articles_search.rowid` }
func (sqliteEngine) match() string { return `articles_search MATCH ?` }

func (sqliteEngine) expression(groups []group) string {
	return expression(groups, " AND ", " NOT ", " OR ", func(t term) string {
		columns := map[field]string{fieldTitle: "{title} : ", fieldBody: "{body code} : ", fieldCode: "{code} : "}
		text := columns[t.field] + `"` + strings.Join(t.words, " ") + `"`
		if t.open {
			text += " *"
		}
		return text
	})
}

// postgresEngine is a vector of words with their positions and a weight for each
// part of the item.
type postgresEngine struct{}

func (postgresEngine) put(ctx context.Context, tx *database.Tx, number int64, e entry) error {
	_, err := tx.Exec(ctx, `INSERT INTO articles_search (item, terms) VALUES ($1, $2::tsvector)
		ON CONFLICT (item) DO UPDATE SET terms = excluded.terms`, number, vector(e))
	return err
}

func (postgresEngine) delete(ctx context.Context, tx *database.Tx, number int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM articles_search WHERE item = $1`, number)
	return err
}

func (postgresEngine) key() string   { return `articles_search.item` }
func (postgresEngine) match() string { return `articles_search.terms @@ (?)::tsquery` }

func (postgresEngine) expression(groups []group) string {
	return expression(groups, " & ", " & !", " | ", func(t term) string {
		weights := map[field]string{fieldTitle: "A", fieldBody: "CD", fieldCode: "C"}
		list := make([]string, len(t.words))
		for n, w := range t.words {
			label := weights[t.field]
			if t.open && n == len(t.words)-1 {
				label = "*" + label
			}
			if list[n] = "'" + w + "'"; label != "" {
				list[n] += ":" + label
			}
		}
		return strings.Join(list, " <-> ")
	})
}

// gap keeps the last word of one part from being the neighbour of the first of
// the next.
const gap = 2

// vector writes the words with their positions. Positions beyond the engine's last
// are all the last, which the bounds of tokenize keep far away.
func vector(e entry) string {
	var b strings.Builder
	position := 0
	for _, part := range []struct {
		words  []string
		weight string
	}{{e.title, "A"}, {e.facets, "B"}, {e.body, "D"}, {e.code, "C"}} {
		for _, w := range part.words {
			if position++; position > maxIndexed+300 {
				break
			}
			b.WriteString("'" + w + "':" + strconv.Itoa(position) + part.weight + " ")
		}
		position += gap
	}
	return b.String()
}

// expression puts the terms together. Every group has a term that is not negated.
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

// itemsWith are the numbers of the items that a term finds, in order. They come as
// one text: a row for each would take longer than finding them. SQLite only.
func itemsWith(ctx context.Context, q database.Querier, t term) ([]int64, error) {
	var text string
	t.not = false
	expression := sqliteEngine{}.expression([]group{{words: []term{t}}})
	err := q.QueryRow(ctx, `SELECT COALESCE(group_concat(rowid, ' '), '') FROM articles_search
		WHERE articles_search MATCH $1`, expression).Scan(&text)
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

// find lists the items for which one of the groups holds. The statement is put
// together from constant pieces only; every value is a parameter.
func find(ctx context.Context, db Database, q Query, f Filter) ([]int64, int64, error) {
	s := statement{engine: engineOf(db.Engine())}
	key, from := s.build(q, f.TeamID)
	order := q.order
	if order == "" {
		order = key + ` DESC`
	}
	scan := func(s database.Scanner) (n int64, err error) { return n, s.Scan(&n) }
	return page.List(ctx, db, scan, f.Page, `SELECT `+key, from, `ORDER BY `+order, s.args...)
}

// statement numbers the parameters of a search.
type statement struct {
	engine engine
	args   []any
}

// build writes where the items are read from, and the column with their numbers.
func (s *statement) build(q Query, teamID int64) (key, from string) {
	rows := false
	for _, g := range q.groups {
		rows = rows || len(g.rows) > 0
	}
	switch {
	case len(q.groups) == 1 && q.groups[0].everything:
		// Only the site is asked for, which the rows know without the index.
		site := s.with(Condition{`i.team_id = ?`, []any{teamID}})
		return `i.number`, `FROM articles_items i WHERE NOT i.private AND ` + site + s.rows(q.groups[0])
	case !rows || len(q.groups) == 1:
		from, key = `FROM articles_search`, s.engine.key()
		if rows || q.order != "" {
			from += ` JOIN articles_items i ON i.number = ` + key
		}
		return key, from + ` WHERE ` + s.match(q.groups) + s.rows(q.groups[0])
	}
	alternatives := make([]string, len(q.groups))
	for n, g := range q.groups {
		alternatives[n] = `i.number IN (SELECT ` + s.engine.key() + ` FROM articles_search WHERE ` +
			s.match(q.groups[n:n+1]) + `)` + s.rows(g)
	}
	return `i.number`, `FROM articles_items i WHERE (` + strings.Join(alternatives, `) OR (`) + `)`
}

func (s *statement) match(groups []group) string {
	return s.with(Condition{s.engine.match(), []any{s.engine.expression(groups)}})
}

func (s *statement) rows(g group) (sql string) {
	for _, row := range g.rows {
		sql += ` AND ` + s.with(row)
	}
	return sql
}

// with puts numbers in the place of question marks.
func (s *statement) with(c Condition) string {
	sql := c.SQL
	for _, v := range c.Values {
		s.args = append(s.args, v)
		sql = strings.Replace(sql, "?", "$"+strconv.Itoa(len(s.args)), 1)
	}
	return sql
}

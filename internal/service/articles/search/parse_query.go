package search

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"stoa.dev/stoa/internal/platform/database"
)

const (
	maxQuery = 1000
	maxTerms = 30
)

// Query is alternatives, of which one must hold. The zero Query finds everything,
// the newest first.
type Query struct {
	groups []group
	// order is a constant piece of SQL; empty means the newest first.
	order string
}

// Everything reports whether a query asks for all items, the newest first.
func (q Query) Everything() bool { return len(q.groups) == 0 && q.order == "" }

// onlyWords reports whether a query asks for whole words and facets only, neither
// phrases nor rows nor an order.
func (q Query) onlyWords() bool {
	for _, g := range q.groups {
		if len(g.rows) > 0 {
			return false
		}
		for _, t := range g.words {
			if len(t.words) != 1 || t.open {
				return false
			}
		}
	}
	return q.order == ""
}

// group is a number of terms that must all hold.
type group struct {
	words []term
	rows  []Condition
	// everything is true when the words ask for nothing but the site.
	everything bool
}

// field is the part of an item that a term looks at.
type field string

const (
	fieldText  field = "text" // title, body and code
	fieldTitle field = "title"
	fieldBody  field = "body" // body and code
	fieldCode  field = "code"
	fieldFacet field = "facet"
)

// term is words that stand next to each other in a field of the text index.
type term struct {
	field field
	words []string
	// open is true when the last word may go on; not negates the term.
	open, not bool
	// user is a name whose facet is not known yet.
	user string
}

// Condition is a piece of constant SQL about a row of articles_items i, with a ? for
// each value.
type Condition struct {
	SQL    string
	Values []any
}

// QueryError is why a query is refused.
type QueryError struct{ Reason string }

func (e *QueryError) Error() string { return e.Reason }

// Parse reads the query language:
//
//	word  "a phrase"  title:x  body:x  code:x     in the text
//	tag:x  user:x  group:x  is:coediting  is:slide
//	created:>=2026-01  updated:2025  stocks:>10  likes:<=3
//	-x negates a term; a OR b is either; sort:stocks-desc orders
//
// Terms are separated by blanks and all must hold. A field that is not known is
// text. A value that is not a date or a number finds nothing. The error is a
// *QueryError.
func Parse(text string) (Query, error) {
	var q Query
	if len(text) > maxQuery {
		return q, &QueryError{"query must have at most 1000 bytes"}
	}
	g, terms := group{}, 0
	endGroup := func() {
		if len(g.words)+len(g.rows) > 0 {
			q.groups = append(q.groups, g)
		}
		g = group{}
	}
	for _, w := range splitQuery(text) {
		if strings.EqualFold(w, "or") {
			endGroup()
			continue
		}
		if order, ok := strings.CutPrefix(w, "sort:"); ok {
			q.order = sortOrder(order)
			continue
		}
		if terms++; terms > maxTerms {
			return q, &QueryError{"query holds too many terms"}
		}
		g.add(w)
	}
	endGroup()
	return q, nil
}

// splitQuery cuts at blanks that are not within quotes.
func splitQuery(text string) (out []string) {
	quoted, start := false, -1
	for at, r := range text {
		if r == '"' {
			quoted = !quoted
		}
		blank := unicode.IsSpace(r) && !quoted
		switch {
		case !blank && start < 0:
			start = at
		case blank && start >= 0:
			out, start = append(out, text[start:at]), -1
		}
	}
	if start >= 0 {
		out = append(out, text[start:])
	}
	return out
}

// sortOrder is the order of a sort: term. An unknown one is the default.
func sortOrder(word string) string {
	switch word {
	case "created-asc":
		return `i.number`
	case "updated", "updated-desc":
		return `i.updated_at DESC, i.number DESC`
	case "updated-asc":
		return `i.updated_at, i.number`
	case "likes", "likes-desc", "like", "like-desc":
		return `i.likes_count DESC, i.number DESC`
	case "likes-asc":
		return `i.likes_count, i.number`
	case "stocks", "stocks-desc", "stock", "stock-desc":
		return `i.stocks_count DESC, i.number DESC`
	case "stocks-asc":
		return `i.stocks_count, i.number`
	}
	return ""
}

// add reads one term.
func (g *group) add(word string) {
	plain, not := word, false
	if rest, ok := strings.CutPrefix(word, "-"); ok && rest != "" {
		plain, not = rest, true
	}
	name, value, found := strings.Cut(plain, ":")
	value = strings.ReplaceAll(value, `"`, "")
	if !found || value == "" || strings.HasPrefix(plain, `"`) {
		g.addWords(fieldText, strings.ReplaceAll(plain, `"`, ""), not)
		return
	}
	switch name {
	case "title":
		g.addWords(fieldTitle, value, not)
	case "body":
		g.addWords(fieldBody, value, not)
	case "code":
		g.addWords(fieldCode, value, not)
	case "tag", "tags":
		g.addFacet(tagFacet(value), not)
	case "user":
		g.words = append(g.words, term{field: fieldFacet, user: value, not: not})
	case "group", "groups":
		g.addRow(`EXISTS (SELECT 1 FROM articles_groups o WHERE o.number = i.group_number AND o.url_name = ?)`,
			not, value)
	case "org", "is":
		g.addFacet(knownFacet(name, value), not)
	case "created":
		g.addDate(`i.created_at`, value, not)
	case "updated":
		g.addDate(`i.updated_at`, value, not)
	case "stocks", "likes":
		g.addNumber(`i.`+name+`_count`, value, not)
	default:
		g.addWords(fieldText, plain, not)
	}
}

// knownFacet is what is: may ask for. There are no organizations.
func knownFacet(name, value string) string {
	if name == "is" && (value == coeditingFacet || value == slideFacet) {
		return value
	}
	return nothingFacet
}

func (g *group) addFacet(facet string, not bool) {
	g.words = append(g.words, term{field: fieldFacet, words: []string{facet}, not: not})
}

// addWords adds a text. One without any word, such as a lone bracket, finds nothing.
func (g *group) addWords(f field, text string, not bool) {
	list, open := tokenizeQuery(text)
	if len(list) == 0 {
		f, list = fieldFacet, []string{nothingFacet}
	}
	g.words = append(g.words, term{field: f, words: list, open: open, not: not})
}

func (g *group) addRow(sql string, not bool, values ...any) {
	if not {
		sql = `NOT (` + sql + `)`
	}
	g.rows = append(g.rows, Condition{`(` + sql + `)`, values})
}

// operator splits ">=5" into the operator and the rest.
func operator(value string) (op, rest string) {
	rest = strings.TrimLeft(value, "<>=")
	return value[:len(value)-len(rest)], rest
}

func (g *group) addNumber(column, value string, not bool) {
	op, rest := operator(value)
	n, err := strconv.ParseInt(rest, 10, 64)
	switch {
	case err != nil:
		g.addFacet(nothingFacet, false)
	case op == ">" || op == ">=" || op == "<" || op == "<=":
		g.addRow(column+` `+op+` ?`, not, n)
	default:
		g.addRow(column+` = ?`, not, n)
	}
}

// addDate compares with the year, month or day that is named, in UTC.
func (g *group) addDate(column, value string, not bool) {
	op, rest := operator(value)
	var start, end string
	for layout, step := range map[string][3]int{"2006": {1, 0, 0}, "2006-01": {0, 1, 0}, "2006-01-02": {0, 0, 1}} {
		if at, err := time.Parse(layout, rest); err == nil {
			start, end = database.FormatTime(at), endOf(at.AddDate(step[0], step[1], step[2]))
		}
	}
	switch {
	case start == "":
		g.addFacet(nothingFacet, false)
	case op == ">":
		g.addRow(column+` >= ?`, not, end)
	case op == ">=":
		g.addRow(column+` >= ?`, not, start)
	case op == "<":
		g.addRow(column+` < ?`, not, start)
	case op == "<=":
		g.addRow(column+` < ?`, not, end)
	default:
		g.addRow(column+` >= ? AND `+column+` < ?`, not, start, end)
	}
}

// endOf is the moment after the last one of a span. Times are compared as text,
// and a year of five digits would come before all others.
func endOf(t time.Time) string {
	if t.Year() > 9999 {
		return "9999-12-31T~"
	}
	return database.FormatTime(t)
}

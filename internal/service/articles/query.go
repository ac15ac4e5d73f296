package articles

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"stoa.dev/stoa/internal/platform/database"
)

// The bounds of a query.
const (
	maxQuery = 1000
	maxTerms = 30
)

// query is what somebody looks for: alternatives, of which one must hold.
type query struct {
	teamID int64
	groups []group
	// order is a constant piece of SQL; empty means the newest first.
	order string
}

// group is a number of terms that must all hold.
type group struct {
	words []term
	rows  []condition
	// whole is true when the words ask for nothing but the edition.
	whole bool
}

// The parts of an item that a term may look at.
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
	// open is true when the last word may go on.
	open bool
	not  bool
	// user is a name whose facet is not known yet.
	user string
}

// condition is a piece of constant SQL about a row, with a ? for each value.
type condition struct {
	sql    string
	values []any
}

// parseQuery reads the query language:
//
//	word  "a phrase"  title:x  body:x  code:x     in the text
//	tag:x  user:x  group:x  is:coediting  is:slide
//	created:>=2026-01  updated:2025  stocks:>10  likes:<=3
//	-x turns a term around; a OR b is either; sort:stocks-desc orders
//
// Terms are separated by blanks and all must hold. A field that is not known is
// text. What is no date or number finds nothing.
func parseQuery(text string) (query, error) {
	var q query
	if len(text) > maxQuery {
		return q, errBad("query must have at most 1000 bytes")
	}
	g, terms := group{}, 0
	for _, w := range splitQuery(text) {
		if strings.EqualFold(w, "or") {
			if len(g.words)+len(g.rows) > 0 {
				q.groups = append(q.groups, g)
			}
			g = group{}
			continue
		}
		if order, ok := strings.CutPrefix(w, "sort:"); ok {
			q.order = sortOrder(order)
			continue
		}
		if terms++; terms > maxTerms {
			return q, errBad("query holds too many terms")
		}
		g.add(w)
	}
	if len(g.words)+len(g.rows) > 0 {
		q.groups = append(q.groups, g)
	}
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

// sortOrder is the order of a sort: term. An unknown one is the usual one.
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
		g.look(fieldText, strings.ReplaceAll(plain, `"`, ""), not)
		return
	}
	switch name {
	case "title":
		g.look(fieldTitle, value, not)
	case "body":
		g.look(fieldBody, value, not)
	case "code":
		g.look(fieldCode, value, not)
	case "tag", "tags":
		g.is(tagFacet(fold(value)), not)
	case "user":
		g.words = append(g.words, term{field: fieldFacet, user: value, not: not})
	case "group", "groups":
		g.where(`EXISTS (SELECT 1 FROM articles_groups o WHERE o.number = i.group_number AND o.url_name = ?)`, not, value)
	case "org", "is":
		g.is(knownFacet(name, value), not)
	case "created":
		g.date(`i.created_at`, value, not)
	case "updated":
		g.date(`i.updated_at`, value, not)
	case "stocks", "likes":
		g.number(`i.`+name+`_count`, value, not)
	default:
		g.look(fieldText, plain, not)
	}
}

// knownFacet is what is: may ask for. Nobody is in an organization here.
func knownFacet(name, value string) string {
	if name == "is" && (value == coeditingFacet || value == slideFacet) {
		return value
	}
	return nothingFacet
}

func (g *group) is(facet string, not bool) {
	g.words = append(g.words, term{field: fieldFacet, words: []string{facet}, not: not})
}

// look adds words. Text without any, such as a lone bracket, finds nothing.
func (g *group) look(f field, text string, not bool) {
	list, open := sought(text)
	if len(list) == 0 {
		f, list = fieldFacet, []string{nothingFacet}
	}
	g.words = append(g.words, term{field: f, words: list, open: open, not: not})
}

func (g *group) where(sql string, not bool, values ...any) {
	if not {
		sql = `NOT (` + sql + `)`
	}
	g.rows = append(g.rows, condition{`(` + sql + `)`, values})
}

// operator parts ">=5" into the operator and the rest.
func operator(value string) (op, rest string) {
	rest = strings.TrimLeft(value, "<>=")
	return value[:len(value)-len(rest)], rest
}

func (g *group) number(column, value string, not bool) {
	op, rest := operator(value)
	n, err := strconv.ParseInt(rest, 10, 64)
	switch {
	case err != nil:
		g.is(nothingFacet, false)
	case op == ">" || op == ">=" || op == "<" || op == "<=":
		g.where(column+` `+op+` ?`, not, n)
	default:
		g.where(column+` = ?`, not, n)
	}
}

// date compares with the year, month or day that is named, in UTC.
func (g *group) date(column, value string, not bool) {
	op, rest := operator(value)
	var start, end string
	for layout, step := range map[string][3]int{"2006": {1, 0, 0}, "2006-01": {0, 1, 0}, "2006-01-02": {0, 0, 1}} {
		if at, err := time.Parse(layout, rest); err == nil {
			start, end = database.FormatTime(at), endOf(at.AddDate(step[0], step[1], step[2]))
		}
	}
	switch {
	case start == "":
		g.is(nothingFacet, false)
	case op == ">":
		g.where(column+` >= ?`, not, end)
	case op == ">=":
		g.where(column+` >= ?`, not, start)
	case op == "<":
		g.where(column+` < ?`, not, start)
	case op == "<=":
		g.where(column+` < ?`, not, end)
	default:
		g.where(column+` >= ? AND `+column+` < ?`, not, start, end)
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

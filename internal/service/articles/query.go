package articles

import (
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// maxTerms bounds a query.
const maxTerms = 10

// term is one condition of a query: a piece of constant SQL in which ? stands
// for its value.
type term struct{ sql, value string }

// parseQuery reads words, tag:x, title:x, body:x, and created: and updated:
// with a year, month or day and an operator. Terms are separated by blanks and
// all must hold; a minus turns one around.
func parseQuery(text string) ([]term, error) {
	var terms []term
	for _, word := range strings.Fields(text) {
		plain, not := strings.CutPrefix(word, "-")
		found := readTerm(plain)
		if not && len(found) > 0 {
			for n := range found {
				found[n].sql = "NOT " + found[n].sql
			}
			if len(found) > 1 {
				return nil, errBad("a day, month or year cannot be negated; use < or >")
			}
		}
		terms = append(terms, found...)
	}
	if len(terms) > maxTerms {
		return nil, errBad("query holds too many terms")
	}
	return terms, nil
}

func readTerm(word string) []term {
	const (
		title = `(LOWER(i.title) LIKE ? ESCAPE '!')`
		text  = `(LOWER(i.body) LIKE ? ESCAPE '!')`
		both  = `(LOWER(i.title) || ' ' || LOWER(i.body) LIKE ? ESCAPE '!')`
		tag   = `EXISTS (SELECT 1 FROM articles_taggings g JOIN articles_tags t ON t.number = g.tag WHERE g.item = i.number AND t.folded = ?)`
	)
	field, value, found := strings.Cut(word, ":")
	switch {
	case found && field == "title":
		return []term{{title, like(value)}}
	case found && field == "body":
		return []term{{text, like(value)}}
	case found && field == "tag":
		return []term{{tag, fold(value)}}
	case found && field == "created":
		return dateTerms(value, `(i.created_at < ?)`, `(i.created_at >= ?)`)
	case found && field == "updated":
		return dateTerms(value, `(i.updated_at < ?)`, `(i.updated_at >= ?)`)
	}
	return []term{{both, like(word)}}
}

// like is a pattern for text that holds the value.
func like(value string) string {
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(value)) + "%"
}

// dateTerms compares with the year, month or day that is named. What is no
// date finds nothing.
func dateTerms(value, before, since string) []term {
	date := strings.TrimLeft(value, "<>=")
	var from, to time.Time
	for layout, step := range map[string][3]int{"2006": {1, 0, 0}, "2006-01": {0, 1, 0}, "2006-01-02": {0, 0, 1}} {
		if at, err := time.Parse(layout, date); err == nil {
			from, to = at, at.AddDate(step[0], step[1], step[2])
		}
	}
	start, end := database.FormatTime(from), database.FormatTime(to)
	switch operator := value[:len(value)-len(date)]; {
	case to.IsZero():
		return []term{{before, ""}}
	case operator == ">":
		return []term{{since, end}}
	case operator == ">=":
		return []term{{since, start}}
	case operator == "<":
		return []term{{before, start}}
	case operator == "<=":
		return []term{{before, end}}
	}
	return []term{{since, start}, {before, end}}
}

package query

import (
	"fmt"
	"math"
	"strings"
)

// function is one function of the language. args lists the kinds of its
// arguments: q a query, n a number, s a text; after | they may be missing.
type function struct {
	args  string
	apply func(c *Call, list []Series) ([]Series, error)
	shift func(c *Call) (seconds int64, err error)
	keeps bool // results keep the names of what went in
	// cost is how many values the function looks at; nil is each once.
	cost func(c *Call, list []Series) int
}

// badCall is a wrong argument, with its place.
type badCall struct {
	at     int
	reason string
}

// check holds the arguments against the declaration.
func (f function) check(c *Call) *badCall {
	required, optional, _ := strings.Cut(f.args, "|")
	kinds := required + optional
	if len(c.Args) < len(required) || len(c.Args) > len(kinds) {
		return &badCall{
			c.at,
			fmt.Sprintf("%s takes %s, not %d arguments", c.Name, countWords(len(required), len(kinds)), len(c.Args)),
		}
	}
	for i, a := range c.Args {
		v, isNumber := constantOf(a)
		isNumber = isNumber && !math.IsNaN(v) && !math.IsInf(v, 0)
		_, isText := a.(*Text)
		switch {
		case kinds[i] == 's' && !isText:
			return &badCall{a.pos(), fmt.Sprintf("argument %d of %s is a text in quotes", i+1, c.Name)}
		case kinds[i] == 'n' && !isNumber:
			return &badCall{a.pos(), fmt.Sprintf("argument %d of %s is a number", i+1, c.Name)}
		case kinds[i] == 'q' && isText:
			return &badCall{a.pos(), fmt.Sprintf("argument %d of %s is a query", i+1, c.Name)}
		}
	}
	return nil
}

func countWords(lo, hi int) string {
	if lo == hi {
		return fmt.Sprintf("%d", lo)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}

// num returns argument i or a default.
func (c *Call) num(i int, otherwise float64) float64 {
	if i < len(c.Args) {
		if v, ok := constantOf(c.Args[i]); ok {
			return v
		}
	}
	return otherwise
}

// text returns argument i or a default.
func (c *Call) text(i int, otherwise string) string {
	if i < len(c.Args) {
		if t, ok := c.Args[i].(*Text); ok {
			return t.Value
		}
	}
	return otherwise
}

// lookup finds a function by name.
func lookup(name string) (function, bool) {
	for _, find := range []func(string) (function, bool){
		arithmetic, overTime, smoothing, trends, detection, shifts, ranking,
	} {
		if f, ok := find(name); ok {
			return f, true
		}
	}
	return function{}, false
}

// perValue makes a function of single values.
func perValue(f func(x float64) float64) function {
	return function{args: "q", apply: func(_ *Call, list []Series) ([]Series, error) { return each(list, f), nil }}
}

// perSeries makes a function that rewrites the values of each series.
func perSeries(args string, f func(c *Call, s *Series)) function {
	return function{args: args, apply: func(c *Call, list []Series) ([]Series, error) {
		for i := range list {
			f(c, &list[i])
		}
		return list, nil
	}}
}

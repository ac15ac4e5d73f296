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
		_, isNumber := constantOf(a)
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

// bound makes a function of a value and a number, such as a clamp.
func bound(f func(x, limit float64) float64) function {
	return function{args: "qn", apply: func(c *Call, list []Series) ([]Series, error) {
		limit := c.num(1, 0)
		return each(list, func(x float64) float64 { return f(x, limit) }), nil
	}}
}

// arithmetic works on one value at a time.
func arithmetic(name string) (function, bool) {
	nan := math.NaN()
	switch name {
	case "abs":
		return perValue(math.Abs), true
	case "log2", "log10":
		base := map[string]func(float64) float64{"log2": math.Log2, "log10": math.Log10}[name]
		return perValue(func(x float64) float64 {
			if x <= 0 {
				return nan
			}
			return base(x)
		}), true
	case "exp":
		return perValue(func(x float64) float64 { return finite(math.Exp(x)) }), true
	case "power":
		return bound(func(x, n float64) float64 { return finite(math.Pow(x, n)) }), true
	case "sqrt":
		return perValue(func(x float64) float64 {
			if x < 0 {
				return nan
			}
			return math.Sqrt(x)
		}), true
	case "default_zero":
		return perValue(func(x float64) float64 {
			if math.IsNaN(x) {
				return 0
			}
			return x
		}), true
	case "clamp_min":
		return bound(func(x, l float64) float64 { return keepNaN(x, max(x, l)) }), true
	case "clamp_max":
		return bound(func(x, l float64) float64 { return keepNaN(x, min(x, l)) }), true
	case "cutoff_min":
		return bound(func(x, l float64) float64 {
			if x < l {
				return nan
			}
			return x
		}), true
	case "cutoff_max":
		return bound(func(x, l float64) float64 {
			if x > l {
				return nan
			}
			return x
		}), true
	case "count_nonzero", "count_not_null":
		return counting(name), true
	case "exclude_null":
		return function{args: "q", keeps: true, apply: excludeNull}, true
	}
	return function{}, false
}

// finite leaves out what no chart and no JSON can show.
func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

func keepNaN(x, y float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return y
}

// counting reduces all groups to the number of them that have a value.
func counting(name string) function {
	return function{args: "q", apply: func(_ *Call, list []Series) ([]Series, error) {
		if len(list) == 0 {
			return nil, nil
		}
		out := list[0]
		out.Tags, out.Scope, out.Unit, out.Values = nil, "*", "", make([]float64, len(list[0].Values))
		for _, s := range list {
			for i := range out.Values {
				x := s.at(out.Start + int64(i)*out.Step)
				if !math.IsNaN(x) && (name == "count_not_null" || x != 0) {
					out.Values[i]++
				}
			}
		}
		return []Series{out}, nil
	}}
}

// excludeNull removes the groups of series that lack a tag.
func excludeNull(_ *Call, list []Series) ([]Series, error) {
	var out []Series
	for _, s := range list {
		if !strings.Contains(s.key(), ":N/A") {
			out = append(out, s)
		}
	}
	return out, nil
}

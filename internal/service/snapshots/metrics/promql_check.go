//go:build !small

package metrics

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/util/strutil"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Bounds of a PromQL expression. The engine counts samples only once they
// exist; what it allocates or computes before that is bounded here.
const (
	maxPromLength    = query.MaxLength
	maxPromTokens    = 2_500 // before anything is parsed or compiled
	maxPromNodes     = 500
	maxPromDepth     = 250
	maxPromSelectors = 50
	// maxPromPoints is how many points the query or a subquery may have, those
	// of nested ones multiplied.
	maxPromPoints = 11_000
	// maxPromSteps is how many times the inside of a subquery is evaluated: over
	// its own range and that of everything around it.
	maxPromSteps = 250_000
	// maxPromWork bounds the steps of all nodes and the values that functions
	// over a subquery look at.
	maxPromWork = 20_000_000
	// nodeWork is what a step of a node costs beside a look at a value.
	nodeWork = 4
	// maxRegexp bounds the text of one regular expression, maxRegexps that of
	// all, maxProgram the instructions that one becomes: x{1000} is a thousand.
	maxRegexp  = 1_024
	maxRegexps = 4_096
	maxProgram = 2_000
	// maxLabelCalls bounds label_replace and label_join, which write labels into
	// labels: maxGrowth is how
	// many times as long nested ones may make a label, maxWritten how many bytes
	// of their own they may add.
	maxLabelCalls = 20
	maxGrowth     = 16
	maxWritten    = 4_096
	// countValuesSteps bounds count_values, which makes a series, with memory for
	// all steps, of each value at each step.
	countValuesSteps = 1_500
)

// defaultSubqueryStep is the step of a subquery that names none.
const defaultSubqueryStep = time.Minute

// promGrid is the steps at which the engine evaluates a range.
func promGrid(r query.Range) (start, step int64) {
	if r.Interval <= 0 {
		r.Interval = query.Interval(r.To-r.From, r.Bars)
	}
	start = (r.From + r.Interval - 1) / r.Interval * r.Interval
	return min(start, r.To), r.Interval
}

// checked is what is known about an expression before it is evaluated.
type checked struct {
	// distinct is the most steps of a count_values in it, 0 without one; bytes is
	// what all of them take with one value at each step.
	distinct, bytes int64
}

// checkPromQL decides whether the engine may see an expression: every way to
// the engine leads through it. A refusal is a *query.Error.
func checkPromQL(text string, r query.Range, retention time.Duration) (checked, error) {
	if len(text) > maxPromLength {
		return checked{}, refuseProm(0, "the query is longer than %d bytes", maxPromLength)
	}
	if err := checkTokens(text); err != nil {
		return checked{}, err
	}
	expr, err := newParser().ParseExpr(text)
	if err != nil {
		return checked{}, promError(err)
	}
	start, step := promGrid(r)
	g := grid{span: (r.To - start) * 1000, step: step * 1000, points: 1}
	if n := g.steps(); n > maxPromPoints {
		return checked{}, refuseProm(0, "the query has %d points; at most %d are evaluated", n, maxPromPoints)
	}
	c := &promChecker{
		first: start*1000 - retention.Milliseconds(), last: r.To*1000 + retention.Milliseconds(), retention: retention,
	}
	_, err = c.node(expr, g, 1)
	return c.found, err
}

func newParser() parser.Parser { return parser.NewParser(parser.Options{}) }

// refuseProm is a refusal at a byte of the text.
func refuseProm(at int, format string, args ...any) error {
	return &query.Error{Reason: fmt.Sprintf(format, args...), Line: 1, Column: at + 1}
}

// checkTokens bounds the number of tokens and the regular expressions, which
// the parser compiles as it reads them.
func checkTokens(text string) error {
	lex := parser.Lex(text)
	var item parser.Item
	var before parser.ItemType
	compiled := 0
	for n := 0; ; n++ {
		lex.NextItem(&item)
		switch {
		case item.Typ == parser.EOF || item.Typ == parser.ERROR:
			return nil // the parser names the fault
		case n >= maxPromTokens:
			return refuseProm(int(item.Pos), "the query has more than %d words", maxPromTokens)
		}
		if item.Typ == parser.COMMENT {
			continue // it may stand between an operator and its text
		}
		if item.Typ == parser.STRING && (before == parser.EQL_REGEX || before == parser.NEQ_REGEX) {
			if compiled += len(item.Val); compiled > maxRegexps {
				return refuseProm(int(item.Pos), "the regular expressions of the query are longer than %d bytes in all",
					maxRegexps)
			}
			// What cannot be unquoted is refused by the parser.
			if text, err := strutil.Unquote(item.Val); err == nil {
				if err := checkRegexp(int(item.Pos), text); err != nil {
					return err
				}
			}
		}
		before = item.Typ
	}
}

// checkRegexp bounds what a regular expression is compiled to. One that cannot
// be read is left to the parser, which refuses it.
func checkRegexp(at int, text string) error {
	if len(text) > maxRegexp {
		return refuseProm(at, "a regular expression is longer than %d bytes", maxRegexp)
	}
	tree, err := syntax.Parse("^(?s:"+text+")$", syntax.Perl) // as the engine does
	if err != nil {
		return nil
	}
	if programSize(tree) > maxProgram {
		return refuseProm(at, "a regular expression repeats too much; it would have more than %d instructions",
			maxProgram)
	}
	return nil
}

// programSize estimates the instructions of a regular expression.
func programSize(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/8
	if re.Op == syntax.OpLiteral {
		n = 1 + len(re.Rune)
	}
	for _, sub := range re.Sub {
		if n += programSize(sub); n > maxProgram {
			return n
		}
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// grid is how often and how far apart a node is evaluated, in milliseconds.
type grid struct {
	span, step int64
	points     int64 // of the subqueries around it, multiplied
}

func (g grid) steps() int64 { return g.span/max(g.step, 1) + 1 }

// promChecker walks an expression.
type promChecker struct {
	first, last int64 // the times that @ may name, milliseconds
	retention   time.Duration
	nodes       int
	selectors   int
	labelCalls  int
	regexps     int
	work        int64
	found       checked
}

// growth is what functions on labels may do to a label.
type growth struct{ factor, written int64 }

// node checks an expression that is evaluated on a grid.
func (c *promChecker) node(n parser.Node, g grid, depth int) (growth, error) {
	at := int(n.PositionRange().Start)
	if c.nodes++; c.nodes > maxPromNodes {
		return growth{}, refuseProm(at, "the query has more than %d parts", maxPromNodes)
	}
	if depth > maxPromDepth {
		return growth{}, refuseProm(at, "the query is nested deeper than %d", maxPromDepth)
	}
	if err := c.spend(at, nodeWork*g.steps()); err != nil {
		return growth{}, err
	}
	inner, err := c.enter(n, g)
	if err != nil {
		return growth{}, err
	}
	widest := growth{factor: 1}
	for child := range parser.ChildrenIter(n) {
		if child == nil {
			continue
		}
		grown, err := c.node(child, inner, depth+1)
		if err != nil {
			return growth{}, err
		}
		widest.factor, widest.written = max(widest.factor, grown.factor), max(widest.written, grown.written)
	}
	if call, ok := n.(*parser.Call); ok {
		return c.labels(call, widest)
	}
	return widest, nil
}

func (c *promChecker) spend(at int, work int64) error {
	if c.work += work; c.work > maxPromWork {
		return refuseProm(at, "the query takes more than %d steps; ask for a shorter time or a longer step",
			maxPromWork)
	}
	return nil
}

// enter checks what a node is by itself and returns the grid of its children.
func (c *promChecker) enter(n parser.Node, g grid) (grid, error) {
	at := int(n.PositionRange().Start)
	switch n := n.(type) {
	case *parser.SubqueryExpr:
		if err := c.times(at, n.OriginalOffset, n.Timestamp); err != nil {
			return g, err
		}
		return c.subquery(at, n, g)
	case *parser.VectorSelector:
		if c.selectors++; c.selectors > maxPromSelectors {
			return g, refuseProm(at, "the query selects more than %d times", maxPromSelectors)
		}
		return g, c.times(at, n.OriginalOffset, n.Timestamp)
	case *parser.AggregateExpr:
		if n.Op == parser.COUNT_VALUES {
			if g.steps() > countValuesSteps {
				return g, refuseProm(at, "count_values has %d steps here; at most %d are evaluated", g.steps(),
					countValuesSteps)
			}
			c.found.distinct = max(c.found.distinct, g.steps())
			if c.found.bytes += g.steps() * g.steps() * pointBytes / 2; c.found.bytes > maxPromBytes {
				return g, refuseProm(at, "count_values is used too often for so many steps")
			}
		}
	}
	return g, nil
}

// subquery bounds the points of a subquery.
func (c *promChecker) subquery(at int, n *parser.SubqueryExpr, g grid) (grid, error) {
	step := n.Step.Milliseconds()
	if n.Step == 0 {
		step = defaultSubqueryStep.Milliseconds()
	}
	if step < 1 {
		return g, refuseProm(at, "the step of a subquery is at least a millisecond")
	}
	own := n.Range.Milliseconds()/step + 1
	// Either factor is bounded, so that the product cannot overflow.
	if own > maxPromPoints || own*g.points > maxPromPoints {
		return g, refuseProm(at, "a subquery has more than %d points, nested ones multiplied; use a longer step",
			maxPromPoints)
	}
	inner := grid{span: g.span + n.Range.Milliseconds(), step: step, points: own * g.points}
	if inner.steps() > maxPromSteps {
		return g, refuseProm(at, "a subquery is evaluated %d times over the range; at most %d are", inner.steps(),
			maxPromSteps)
	}
	return inner, c.spend(at, g.steps()*own)
}

// times bounds offset and @: nothing is kept that far away.
func (c *promChecker) times(at int, offset time.Duration, ts *int64) error {
	if offset > c.retention || offset < -c.retention {
		return refuseProm(at, "an offset reaches further than points are kept (%s)", c.retention)
	}
	if ts != nil && (*ts < c.first || *ts > c.last) {
		return refuseProm(at, "@ names a time that is further from the query than points are kept (%s)", c.retention)
	}
	return nil
}

// labels bounds what label_replace and label_join write.
func (c *promChecker) labels(n *parser.Call, inner growth) (growth, error) {
	at := int(n.PositionRange().Start)
	if n.Func == nil || n.Func.Name != "label_replace" && n.Func.Name != "label_join" {
		return inner, nil
	}
	if c.labelCalls++; c.labelCalls > maxLabelCalls {
		return inner, refuseProm(at, "the query rewrites labels more than %d times", maxLabelCalls)
	}
	var own growth
	if n.Func.Name == "label_replace" {
		pattern := textArg(n, 4)
		if c.regexps += len(pattern); c.regexps > maxRegexps {
			return inner, refuseProm(at, "the regular expressions of the query are longer than %d bytes in all",
				maxRegexps)
		}
		if err := checkRegexp(at, pattern); err != nil {
			return inner, err
		}
		into := textArg(n, 2)
		own = growth{factor: int64(strings.Count(into, "$")), written: int64(len(into))}
	} else {
		sources := int64(max(len(n.Args)-3, 0))
		own = growth{factor: sources, written: sources * int64(len(textArg(n, 2)))}
	}
	out := growth{
		factor:  max(inner.factor, own.factor*inner.factor),
		written: max(inner.written, own.written+own.factor*inner.written),
	}
	if out.factor > maxGrowth || out.written > maxWritten {
		return out, refuseProm(at, "%s makes labels more than %d times or %d bytes longer", n.Func.Name, maxGrowth,
			maxWritten)
	}
	return out, nil
}

// textArg is a text among the arguments of a call.
func textArg(n *parser.Call, i int) string {
	if i < len(n.Args) {
		if s, ok := n.Args[i].(*parser.StringLiteral); ok {
			return s.Val
		}
	}
	return ""
}

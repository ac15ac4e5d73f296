package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Range is the time of a query in seconds and how points are spaced.
type Range struct {
	From, To int64
	Interval int64 // seconds between points; 0 chooses by the span
	Bars     bool
}

// Evaluator runs queries against a source. It is safe for concurrent use.
type Evaluator struct {
	Source Source
	Limits Limits
	// Reserve takes memory for what an evaluation is about to make, or says why
	// there is none; nil grants all.
	Reserve func(bytes int64) error
}

// cellBytes is what a value takes: that of each aggregation and of the result.
const cellBytes = 40

// run is one evaluation.
type run struct {
	*Evaluator
	ctx   context.Context
	q     *Query
	r     Range
	shift int64 // seconds that reading is moved by
	used  *used
}

// used is what all parts of a query have used so far.
type used struct{ cells, work int }

// spend charges the memory of a group before it is taken.
func (v *run) spend(at, cells int) error {
	if v.used.cells += cells; v.used.cells > v.Limits.Cells {
		return v.errorf(at, "the query gives more than %d values in all; ask for fewer groups or a shorter time",
			v.Limits.Cells)
	}
	if v.Reserve == nil {
		return nil
	}
	return v.Reserve(int64(cells) * cellBytes)
}

// work charges the time of a step before it is taken.
func (v *run) work(at, values int) error {
	if v.used.work += values; v.used.work > v.Limits.Work && v.Limits.Work > 0 {
		return v.errorf(at, "the query looks at more than %d values; ask for fewer groups or a shorter time",
			v.Limits.Work)
	}
	return v.ctx.Err()
}

// Run evaluates all expressions. Refusals are *Error, everything else is a
// failure of the source or the end of the context.
func (e *Evaluator) Run(ctx context.Context, q *Query, r Range) ([]Series, error) {
	if r.To <= r.From {
		return nil, errorAt(q.Text, 0, "the range ends before it begins")
	}
	if r.Interval <= 0 {
		r.Interval = Interval(r.To-r.From, r.Bars)
	}
	var out []Series
	spent := &used{}
	for i, x := range q.Exprs {
		v := &run{Evaluator: e, ctx: ctx, q: q, r: r, used: spent}
		list, err := v.eval(x)
		if err != nil {
			return nil, err
		}
		if n, ok := x.(*Number); ok {
			list = v.constant(n.Value)
		}
		for _, s := range list {
			s.Index = i
			if s.Expression == "" {
				s.Expression = Clip(q.texts[i])
			}
			out = append(out, s)
		}
	}
	return out, nil
}

func (v *run) errorf(at int, format string, args ...any) error {
	return errorAt(v.q.Text, at, format, args...)
}

// constant is a number drawn over the whole range.
func (v *run) constant(n float64) []Series {
	g := newGrid(v.r.From, v.r.To, v.r.Interval, 0, v.Limits.Points)
	s := Series{Scope: "*", Start: g.start, Step: g.step, Values: make([]float64, g.n)}
	for i := range s.Values {
		s.Values[i] = n
	}
	return []Series{s}
}

// eval returns the series of an expression; numbers return none and are read
// by their parents.
func (v *run) eval(x Expr) ([]Series, error) {
	if err := v.ctx.Err(); err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case *Metric:
		return v.metric(x)
	case *Binary:
		return v.binary(x)
	case *Call:
		return v.call(x)
	default:
		return nil, nil
	}
}

// constantOf folds an expression of constants.
func constantOf(x Expr) (float64, bool) {
	switch x := x.(type) {
	case *Number:
		return x.Value, true
	case *Binary:
		a, ok1 := constantOf(x.Left)
		b, ok2 := constantOf(x.Right)
		return calc(x.Op, a, b), ok1 && ok2
	default:
		return 0, false
	}
}

// calc is one operation; a division by zero has no result.
func calc(op byte, a, b float64) float64 {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	default:
		if b == 0 {
			return math.NaN()
		}
		return a / b
	}
}

func (v *run) binary(x *Binary) ([]Series, error) {
	a, aConst := constantOf(x.Left)
	b, bConst := constantOf(x.Right)
	if aConst && bConst {
		return v.constant(calc(x.Op, a, b)), nil
	}
	left, err := v.eval(x.Left)
	if err != nil {
		return nil, err
	}
	right, err := v.eval(x.Right)
	if err != nil {
		return nil, err
	}
	switch {
	case aConst:
		return each(right, func(r float64) float64 { return calc(x.Op, a, r) }), nil
	case bConst:
		return each(left, func(l float64) float64 { return calc(x.Op, l, b) }), nil
	}
	if err := v.work(x.at, sizeOf(left)+sizeOf(right)); err != nil {
		return nil, err
	}
	return join(x.Op, left, right), nil
}

// sizeOf is how many values a list of series has.
func sizeOf(list []Series) int {
	n := 0
	for i := range list {
		n += len(list[i].Values)
	}
	return n
}

// each maps all values and forgets the expression's text.
func each(list []Series, f func(float64) float64) []Series {
	for i := range list {
		list[i].Expression = ""
		for j, x := range list[i].Values {
			list[i].Values[j] = f(x)
		}
	}
	return list
}

// join pairs series of the same group. A side without groups meets every
// series of the other one.
func join(op byte, left, right []Series) []Series {
	var out []Series
	switch {
	case len(right) == 1 && len(right[0].Tags) == 0:
		for i := range left {
			out = append(out, pair(op, &left[i], &right[0], &left[i]))
		}
	case len(left) == 1 && len(left[0].Tags) == 0:
		for i := range right {
			out = append(out, pair(op, &left[0], &right[i], &right[i]))
		}
	default:
		byKey := make(map[string]*Series, len(right))
		for i := range right {
			byKey[right[i].key()] = &right[i]
		}
		for i := range left {
			if r := byKey[left[i].key()]; r != nil {
				out = append(out, pair(op, &left[i], r, &left[i]))
			}
		}
	}
	return out
}

// pair combines two series at the points of the coarser one.
func pair(op byte, a, b, named *Series) Series {
	out, base := *named, a
	if b.Step > a.Step {
		base = b
	}
	out.Expression, out.Start, out.Step = "", base.Start, base.Step
	if a.Unit != b.Unit || op == '/' || op == '*' {
		out.Unit = ""
	}
	out.Sums = (a.Sums || b.Sums) && op != '/' // both sides of a share are cut off alike
	out.Values = make([]float64, len(base.Values))
	for i := range out.Values {
		ms := base.Start + int64(i)*base.Step
		out.Values[i] = calc(op, a.at(ms), b.at(ms))
	}
	return out
}

// call evaluates the first argument and applies the function.
func (v *run) call(c *Call) ([]Series, error) {
	inner := *v
	if c.fn.shift != nil {
		s, err := c.fn.shift(c)
		if err != nil {
			return nil, v.errorf(c.at, "%s", err)
		}
		inner.shift += s
		if inner.shift > maxShift || inner.shift < -maxShift {
			return nil, v.errorf(c.at, "a shift of more than ten years")
		}
	}
	list, err := inner.eval(c.Args[0])
	if err != nil {
		return nil, err
	}
	if n, ok := constantOf(c.Args[0]); ok {
		list = v.constant(n)
	}
	if c.fn.apply == nil {
		for i := range list {
			list[i].Expression = ""
		}
		return list, nil
	}
	cost := sizeOf(list)
	if c.fn.cost != nil {
		cost = c.fn.cost(c, list)
	}
	if err := v.work(c.at, cost); err != nil {
		return nil, err
	}
	out, err := c.fn.apply(c, list)
	var bad *Error
	if err != nil && !errors.As(err, &bad) {
		return nil, v.errorf(c.at, "%s", err)
	}
	if err != nil {
		return nil, err
	}
	for i := range out {
		if !c.fn.keeps {
			out[i].Expression = ""
		}
	}
	return out, nil
}

const maxShift = 10 * 366 * 86400

// expression is the canonical text of a metric's group.
func expression(m *Metric, scope string) string {
	agg := m.Aggregator
	if agg == "" {
		agg = "avg"
	}
	return Clip(fmt.Sprintf("%s:%s{%s}", agg, m.Name, scope))
}

// scopeOf writes the scope of a group: its tags and what the query filtered by.
func scopeOf(m *Metric, tags []string) string {
	parts := tags
	if m.ScopeText != "*" && m.ScopeText != "" {
		parts = append(append([]string{}, tags...), Clip(m.ScopeText))
	}
	if len(parts) == 0 {
		return "*"
	}
	return Clip(strings.Join(parts, ","))
}

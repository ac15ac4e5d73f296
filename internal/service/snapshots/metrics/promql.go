package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Bounds of a PromQL evaluation.
const (
	promTimeout = 20 * time.Second
	promSamples = 5_000_000
)

func newEngine(log *slog.Logger) *promql.Engine {
	return promql.NewEngine(promql.EngineOpts{
		Logger: log, MaxSamples: promSamples, Timeout: promTimeout, LookbackDelta: 5 * time.Minute,
		EnableAtModifier: true, EnableNegativeOffset: true, Parser: parser.NewParser(parser.Options{}),
		NoStepSubqueryIntervalFn: func(int64) int64 { return time.Minute.Milliseconds() },
	})
}

// PromQL evaluates an expression of the engine's own language over a range of
// seconds. A refusal is a *query.Error.
func (l *Local) PromQL(ctx context.Context, org, text string, r query.Range) ([]query.Series, error) {
	db, err := l.open()
	if err != nil {
		return nil, err
	}
	if r.Interval <= 0 {
		r.Interval = query.Interval(r.To-r.From, r.Bars)
	}
	step := time.Duration(r.Interval) * time.Second
	start := (r.From + r.Interval - 1) / r.Interval * r.Interval
	if start > r.To {
		start = r.To
	}
	q, err := l.engine.NewRangeQuery(ctx, scoped{db, org}, nil, text, time.Unix(start, 0), time.Unix(r.To, 0), step)
	if err != nil {
		return nil, promError(err)
	}
	defer q.Close()
	res := q.Exec(ctx)
	if res.Err != nil {
		return nil, promError(res.Err)
	}
	matrix, err := res.Matrix()
	if err != nil {
		return nil, promError(err)
	}
	n := int((r.To-start)/r.Interval) + 1
	var out []query.Series
	for _, s := range matrix {
		out = append(out, fromMatrix(s, text, start*1000, step.Milliseconds(), n))
	}
	slices.SortFunc(out, func(a, b query.Series) int { return strings.Compare(a.Scope, b.Scope) })
	return out, nil
}

// scoped shows one organization's series only, whatever the expression selects.
type scoped struct {
	storage.Queryable
	org string
}

// Querier narrows every selection.
func (s scoped) Querier(from, to int64) (storage.Querier, error) {
	q, err := s.Queryable.Querier(from, to)
	return scopedQuerier{q, s.org}, err
}

type scopedQuerier struct {
	storage.Querier
	org string
}

// Select adds the organization to the matchers.
func (q scopedQuerier) Select(ctx context.Context, sorted bool, h *storage.SelectHints, m ...*labels.Matcher) storage.SeriesSet {
	return q.Querier.Select(ctx, sorted, h, append(slices.Clip(m), ofOrg(q.org))...)
}

// fromMatrix spreads the points of a result on the grid.
func fromMatrix(s promql.Series, text string, start, step int64, n int) query.Series {
	out := query.Series{Metric: s.Metric.Get(nameLabel), Expression: text, Start: start, Step: step, Values: make([]float64, n)}
	for i := range out.Values {
		out.Values[i] = math.NaN()
	}
	for _, p := range s.Floats {
		if i := (p.T - start) / step; i >= 0 && i < int64(n) {
			out.Values[i] = p.F
		}
	}
	s.Metric.Range(func(l labels.Label) {
		if l.Name != nameLabel && l.Name != orgLabel {
			out.Tags = append(out.Tags, l.Name+":"+strings.Trim(strings.ReplaceAll(l.Value, separator, ";"), ";"))
		}
	})
	slices.Sort(out.Tags)
	out.Scope = strings.Join(out.Tags, ",")
	if out.Scope == "" {
		out.Scope = "*"
	}
	return out
}

// promError keeps the place that the engine's parser names.
func promError(err error) error {
	var list parser.ParseErrors
	var one *parser.ParseErr
	var cancelled promql.ErrQueryCanceled
	var broken promql.ErrStorage
	switch {
	case errors.As(err, &list) && len(list) > 0:
		return &query.Error{Reason: list[0].Err.Error(), Line: 1, Column: int(list[0].PositionRange.Start) + 1}
	case errors.As(err, &one):
		return &query.Error{Reason: one.Err.Error(), Line: 1, Column: int(one.PositionRange.Start) + 1}
	case errors.As(err, &cancelled):
		return fmt.Errorf("evaluate: %w", context.Canceled)
	case errors.As(err, &broken):
		return fmt.Errorf("evaluate: %w", err) // ours to repair, not the caller's
	default:
		return &query.Error{Reason: err.Error(), Line: 1, Column: 1}
	}
}

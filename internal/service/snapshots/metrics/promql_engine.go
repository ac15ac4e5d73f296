//go:build !small

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

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Bounds of a PromQL evaluation.
const (
	promTimeout = 20 * time.Second
	promSamples = 500_000
	// promBytes is what an evaluation may use whatever it reads.
	promBytes = promSamples * pointBytes
)

func newEngine(log *slog.Logger) *promql.Engine {
	return promql.NewEngine(promql.EngineOpts{
		Logger: log, MaxSamples: promSamples, Timeout: promTimeout, LookbackDelta: 5 * time.Minute,
		EnableAtModifier: true, EnableNegativeOffset: true, Parser: newParser(),
		NoStepSubqueryIntervalFn: func(int64) int64 { return defaultSubqueryStep.Milliseconds() },
	})
}

// CheckPromQL refuses what PromQL would refuse before it reads anything. A
// refusal is a *query.Error.
func (l *Local) CheckPromQL(text string, r query.Range) error {
	_, err := checkPromQL(text, r, l.o.Retention)
	return err
}

// PromQL evaluates an expression of the engine's own language over a range of
// seconds. A refusal is a *query.Error, or what reserve says.
func (l *Local) PromQL(
	ctx context.Context, org, text string, r query.Range, reserve ReserveMemory,
) ([]query.Series, error) {
	known, err := checkPromQL(text, r, l.o.Retention)
	if err != nil {
		return nil, err
	}
	if reserve != nil {
		if err := reserve(promBytes + known.bytes); err != nil {
			return nil, err
		}
	}
	db, err := l.open()
	if err != nil {
		return nil, err
	}
	defer l.inUse.Done()
	read := &reading{org: org, limit: l.o.maxSeries(), distinct: known.distinct, reserve: reserve}
	start, interval := promGrid(r)
	step := time.Duration(interval) * time.Second
	q, err := l.engine.NewRangeQuery(ctx, scoped{db, read}, nil, text, time.Unix(start, 0), time.Unix(r.To, 0), step)
	if err != nil {
		return nil, promError(err)
	}
	defer q.Close()
	res := q.Exec(ctx)
	if read.err != nil {
		return nil, read.err // the engine wraps it
	}
	if res.Err != nil {
		return nil, promError(res.Err)
	}
	matrix, err := res.Matrix()
	if err != nil {
		return nil, promError(err)
	}
	return fromMatrices(matrix, text, query.Range{From: start, To: r.To, Interval: interval}, reserve)
}

// fromMatrices spreads a result on the grid, at most as many values as one query
// of the other language may give.
func fromMatrices(matrix promql.Matrix, text string, r query.Range, reserve ReserveMemory) ([]query.Series, error) {
	n := int((r.To-r.From)/r.Interval) + 1
	limits := query.DefaultLimits()
	if cells := len(matrix) * n; cells > limits.Cells {
		return nil, refuseProm(0, "the query gives more than %d values in all; ask for fewer series", limits.Cells)
	} else if reserve != nil {
		if err := reserve(int64(cells) * 8); err != nil {
			return nil, err
		}
	}
	text = query.Clip(text)
	var out []query.Series
	for _, s := range matrix {
		out = append(out, fromMatrix(s, text, r.From*1000, r.Interval*1000, n))
	}
	slices.SortFunc(out, func(a, b query.Series) int { return strings.Compare(a.Scope, b.Scope) })
	return out, nil
}

// fromMatrix spreads the points of a result on the grid.
func fromMatrix(s promql.Series, text string, start, step int64, n int) query.Series {
	out := query.Series{
		Metric: s.Metric.Get(nameLabel), Expression: text, Start: start, Step: step, Values: make([]float64, n),
	}
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
		return &query.Error{
			Reason: query.Clip(list[0].Err.Error()), Line: 1, Column: int(list[0].PositionRange.Start) + 1,
		}
	case errors.As(err, &one):
		return &query.Error{Reason: query.Clip(one.Err.Error()), Line: 1, Column: int(one.PositionRange.Start) + 1}
	case errors.As(err, &cancelled):
		return fmt.Errorf("evaluate the expression: %w", context.Canceled)
	case errors.As(err, &broken):
		return fmt.Errorf("evaluate the expression: %w", err) // ours to repair, not the caller's
	default:
		return &query.Error{Reason: query.Clip(err.Error()), Line: 1, Column: 1}
	}
}

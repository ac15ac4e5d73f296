package query

import (
	"context"
	"maps"
	"math"
	"slices"
)

// Distribution is how values are distributed in one time bucket.
type Distribution struct {
	Ms, Step int64
	Sketch   *Sketch
}

// Distribution evaluates a query for heat maps and histograms: a distribution counts
// every value that was submitted, other metrics one value per group.
func (e *Evaluator) Distribution(ctx context.Context, q *Query, r Range) (_ []Distribution, unit string, err error) {
	if r.Interval <= 0 {
		r.Interval = Interval(r.To-r.From, r.Bars)
	}
	buckets, spent := map[int64]*Distribution{}, &used{}
	for _, x := range q.Exprs {
		v := &run{Evaluator: e, ctx: ctx, q: q, r: r, used: spent}
		m, ok := x.(*Metric)
		if !ok {
			list, err := v.eval(x)
			if err != nil {
				return nil, "", err
			}
			spreadValues(buckets, list)
			continue
		}
		g, meta, err := v.gather(m)
		if err != nil {
			return nil, "", err
		}
		unit = g.unit(meta)
		if !spreadSketches(buckets, g) {
			spreadValues(buckets, g.result(meta))
		}
	}
	var out []Distribution
	for _, ms := range slices.Sorted(maps.Keys(buckets)) {
		out = append(out, *buckets[ms])
	}
	return out, unit, nil
}

func bucketAt(buckets map[int64]*Distribution, ms, step int64) *Sketch {
	if buckets[ms] == nil {
		buckets[ms] = &Distribution{Ms: ms, Step: step, Sketch: NewSketch()}
	}
	return buckets[ms].Sketch
}

func spreadValues(buckets map[int64]*Distribution, list []Series) {
	for _, s := range list {
		for i, x := range s.Values {
			if !math.IsNaN(x) {
				bucketAt(buckets, s.Start+int64(i)*s.Step, s.Step).Add(x)
			}
		}
	}
}

// spreadSketches reports false when the metric is no distribution.
func spreadSketches(buckets map[int64]*Distribution, g *gather) bool {
	any := false
	for _, gr := range g.groups {
		for i, sk := range gr.sketches {
			if sk != nil {
				any = true
				bucketAt(buckets, g.grid.start+int64(i)*g.grid.step, g.grid.step).Merge(sk)
			}
		}
	}
	return any
}

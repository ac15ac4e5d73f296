package snapshots

import (
	"context"
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/draw/axis"
	"stoa.dev/stoa/internal/service/snapshots/chart"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Cells of the two pictures of a distribution.
const (
	heatRows         = 30
	heatColumns      = 120
	distributionBars = 48
	maxDistributions = 5_000
)

// distribution fills the cells of a heat map or the bars of a histogram.
func (s *Service) distribution(ctx context.Context, t Tenant, e *evaluation, p *plan, c *chart.Chart) error {
	var all []query.Distribution
	for i := range p.layers {
		l := p.layers[i].layer
		for _, q := range p.layers[i].queries {
			r := p.when(&p.layers[i])
			list, unit, err := s.distributionOf(ctx, t, e, q, r)
			if err != nil {
				return err
			}
			if all = append(all, list...); len(all) > maxDistributions {
				return errInvalid("the graph has more than %d columns; use longer rollups", maxDistributions)
			}
			l.Series = []chart.Series{{Unit: axis.Unit(unit)}}
		}
		c.Layers = append(c.Layers, l)
	}
	lo, hi := spreadBounds(all)
	if lo > hi {
		return nil
	}
	if c.Kind == chart.Heatmap {
		for _, sp := range all {
			c.Buckets = append(c.Buckets, cells(sp.Sketch, lo, hi, heatRows, sp)...)
		}
		return nil
	}
	total := query.NewSketch()
	for _, sp := range all {
		total.Merge(sp.Sketch)
	}
	c.Buckets = cells(total, lo, hi, distributionBars, query.Distribution{})
	return nil
}

// distributionOf evaluates a query of either language.
func (s *Service) distributionOf(
	ctx context.Context, t Tenant, e *evaluation, q planned, r query.Range,
) ([]query.Distribution, string, error) {
	if q.prom == "" {
		return s.evaluator(t, e).Distribution(ctx, q.q, r)
	}
	list, err := s.run(ctx, t, e, q, r)
	if err != nil || len(list) == 0 {
		return nil, "", err
	}
	out := make([]query.Distribution, len(list[0].Values))
	for i := range out {
		out[i] = query.Distribution{
			Ms: list[0].Start + int64(i)*list[0].Step, Step: list[0].Step, Sketch: query.NewSketch(),
		}
		for _, sr := range list {
			if v := sr.Values[i]; !math.IsNaN(v) && !math.IsInf(v, 0) {
				out[i].Sketch.Add(v)
			}
		}
	}
	return out, "", nil
}

// spreadBounds is the range of all values, rounded outwards to whole steps.
func spreadBounds(all []query.Distribution) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, sp := range all {
		for _, b := range sp.Sketch.Bins() {
			lo, hi = min(lo, b.Lo), max(hi, b.Hi)
		}
	}
	if lo > hi {
		return lo, hi
	}
	if lo > 0 && lo < hi/2 {
		lo = 0
	}
	if hi-lo < 1e-9*math.Abs(hi) || hi == lo {
		return lo - 0.5, hi + 0.5
	}
	return axis.Extend(lo, hi, 8, "")
}

// cells sorts the bins of a sketch into n equal rows between lo and hi. A bin
// wider than a row is shared out by the part that falls into each.
func cells(sk *query.Sketch, lo, hi float64, n int, at query.Distribution) []chart.Bucket {
	height := (hi - lo) / float64(n)
	counts := make([]float64, n)
	for _, b := range sk.Bins() {
		first := min(max(int((b.Lo-lo)/height), 0), n-1)
		last := min(max(int((b.Hi-lo)/height), first), n-1)
		if b.Hi <= b.Lo || first == last {
			counts[first] += b.Count
			continue
		}
		for i := first; i <= last; i++ {
			from, to := lo+float64(i)*height, lo+float64(i+1)*height
			counts[i] += b.Count * max(0, min(b.Hi, to)-max(b.Lo, from)) / (b.Hi - b.Lo)
		}
	}
	var out []chart.Bucket
	for i, count := range counts {
		out = append(out, chart.Bucket{
			T: at.Ms, Interval: time.Duration(at.Step) * time.Millisecond,
			Lo: lo + float64(i)*height, Hi: lo + float64(i+1)*height, Count: count,
		})
	}
	return out
}

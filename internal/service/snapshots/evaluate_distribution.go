package snapshots

import (
	"context"
	"math"

	"stoa.dev/stoa/internal/platform/draw/axis"
	"stoa.dev/stoa/internal/service/snapshots/chart"
	"stoa.dev/stoa/internal/service/snapshots/histogram"
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
	lo, hi := histogram.Bounds(all)
	if lo > hi {
		return nil
	}
	if c.Kind == chart.Heatmap {
		for _, sp := range all {
			c.Buckets = append(c.Buckets, histogram.Cells(sp.Sketch, lo, hi, heatRows, sp)...)
		}
		return nil
	}
	total := query.NewSketch()
	for _, sp := range all {
		total.Merge(sp.Sketch)
	}
	c.Buckets = histogram.Cells(total, lo, hi, distributionBars, query.Distribution{})
	return nil
}

// distributionOf evaluates a query of either language.
func (s *Service) distributionOf(
	ctx context.Context, t Tenant, e *evaluation, q planned, r query.Range,
) ([]query.Distribution, string, error) {
	if q.prom == "" {
		return s.evaluator(t, e).Distribution(ctx, q.q, r)
	}
	list, err := s.runQuery(ctx, t, e, q, r)
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

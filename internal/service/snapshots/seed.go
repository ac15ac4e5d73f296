package snapshots

import (
	"context"
	"fmt"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

type seedSeries struct {
	User     string    `json:"user" doc:"Whose metric it is."`
	Metric   string    `json:"metric" doc:"The name, such as system.cpu.user."`
	Type     string    `json:"type,omitempty" enum:"gauge,count,rate" doc:"gauge when left out."`
	Unit     string    `json:"unit,omitempty" doc:"The unit, such as percent."`
	Interval int64     `json:"interval,omitempty" doc:"Seconds that counts and rates are about."`
	Tags     []string  `json:"tags,omitempty" doc:"Tags such as host:web-1."`
	End      string    `json:"end,omitempty" doc:"The time of the last value; now when left out."`
	Step     string    `json:"step,omitempty" doc:"The time between values, such as 1m, which is meant when left out."`
	Values   []float64 `json:"values" doc:"The values, the oldest first."`
}

// seeds is the section of metrics. They are not written: a store of series keeps no
// list of what was sent.
func (s *Service) seeds() []seed.Section {
	return []seed.Section{seed.NewSection("metrics", "Series of a metric", s.seedSeries, nil)}
}

func (s *Service) seedSeries(ctx context.Context, _ *seed.Run, in seedSeries) error {
	user, err := s.identity.UserByName(ctx, in.User)
	if err != nil {
		return seed.At(err, "user")
	}
	if !metrics.ValidMetric(in.Metric) {
		return seed.At(fmt.Errorf("%q is not the name of a metric", in.Metric), "metric")
	}
	step, end := time.Minute, s.world.Clock.Now().Truncate(time.Minute)
	if in.Step != "" {
		if step, err = time.ParseDuration(in.Step); err != nil || step < time.Millisecond {
			return seed.At(fmt.Errorf("%q is not a duration such as 1m", in.Step), "step")
		}
	}
	if in.End != "" {
		if end, err = time.Parse(time.RFC3339, in.End); err != nil {
			return seed.At(fmt.Errorf("%q is not a time such as 2026-03-01T09:00:00Z", in.End), "end")
		}
	}
	meta := query.Meta{Type: query.Gauge, Interval: in.Interval, Unit: in.Unit}
	if in.Type != "" {
		meta.Type = query.MetricType(in.Type)
	}
	if err := (MetricMetadata{Meta: meta}).check(); err != nil {
		return err
	}
	series := metrics.Series{Metric: in.Metric, Tags: metrics.Normalize(in.Tags)}
	for i, v := range in.Values {
		at := end.Add(-time.Duration(len(in.Values)-1-i) * step)
		series.Samples = append(series.Samples, metrics.Sample{Ms: at.UnixMilli(), Value: v})
	}
	left, err := s.Submit(ctx, userTenant(user.ID), submission{
		series: []metrics.Series{series}, meta: map[string]query.Meta{in.Metric: meta},
	})
	if err == nil && left.points > 0 {
		err = seed.At(fmt.Errorf("%d values were not kept: %s", left.points, strings.Join(left.warnings, "; ")), "values")
	}
	return err
}

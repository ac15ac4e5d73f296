package seedfile

import (
	"errors"
	"fmt"
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Series is an element of the section.
type Series struct {
	User     string    `json:"user" doc:"Whose metric it is."`
	Metric   string    `json:"metric" doc:"The name, such as system.cpu.user."`
	Type     string    `json:"type,omitempty" enum:"gauge,count,rate" doc:"gauge when left out."`
	Unit     string    `json:"unit,omitempty" doc:"The unit, such as percent."`
	Interval int64     `json:"interval,omitempty" doc:"Seconds that counts and rates are about."`
	Tags     []string  `json:"tags,omitempty" doc:"Tags such as host:web-1."`
	End      string    `json:"end,omitempty" doc:"The time of the last value; now when left out."`
	Step     string    `json:"step,omitempty" doc:"The time between values, such as 1m, which is meant when left out."`
	Values   []float64 `json:"values" doc:"The values, the oldest first."`
	Offsets  []float64 `json:"offsets,omitempty" doc:"Seconds of each value before the end, in place of step."`
}

// Metrics is the series as the store takes it, and what is said about its metric.
func (in Series) Metrics(now time.Time) ([]metrics.Series, map[string]query.Meta, error) {
	series, meta, err := in.series(now)
	return []metrics.Series{series}, map[string]query.Meta{in.Metric: meta}, err
}

func (in Series) series(now time.Time) (out metrics.Series, meta query.Meta, err error) {
	if !metrics.ValidMetric(in.Metric) {
		return out, meta, seed.At(fmt.Errorf("%q is not the name of a metric", in.Metric), "metric")
	}
	step, end := time.Minute, now.Truncate(time.Minute)
	if in.Step != "" {
		if step, err = time.ParseDuration(in.Step); err != nil || step < time.Millisecond {
			return out, meta, seed.At(fmt.Errorf("%q is not a duration such as 1m", in.Step), "step")
		}
	}
	if in.End != "" {
		if end, err = time.Parse(time.RFC3339, in.End); err != nil {
			return out, meta, seed.At(fmt.Errorf("%q is not a time such as 2026-03-01T09:00:00Z", in.End), "end")
		}
	}
	if len(in.Offsets) > 0 && (in.Step != "" || len(in.Offsets) != len(in.Values)) {
		return out, meta, seed.At(errors.New("give as many offsets as values, and no step"), "offsets")
	}
	if in.Interval < 0 || in.Interval >= query.MaxInterval {
		return out, meta, seed.At(fmt.Errorf("%d is not a number of seconds from 0 to %d", in.Interval, query.MaxInterval-1),
			"interval")
	}
	meta = query.Meta{Type: query.Gauge, Interval: in.Interval, Unit: in.Unit}
	if in.Type != "" {
		meta.Type = query.MetricType(in.Type)
	}
	out = metrics.Series{Metric: in.Metric, Tags: metrics.Normalize(in.Tags)}
	for i, v := range in.Values {
		at := end.Add(-time.Duration(len(in.Values)-1-i) * step)
		if len(in.Offsets) > 0 {
			at = end.Add(-time.Duration(math.Round(in.Offsets[i]*1000)) * time.Millisecond)
		}
		out.Samples = append(out.Samples, metrics.Sample{Ms: at.UnixMilli(), Value: v})
	}
	return out, meta, nil
}

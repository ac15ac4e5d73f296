package ownseries

import (
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Totals are the counters of the last sample, by metric and tags.
type Totals map[string]float64

// since is what was added to a counter since the last sample. A counter begins at
// zero with its process.
func (t Totals) since(key string, total float64) float64 {
	added := total - t[key]
	t[key] = total
	return added
}

// Of turns gathered families into series, and says what each metric is.
// Counters become what was added since the last sample, which is what a count is
// here: as_rate and as_count are right for them. Histograms are two counters, their
// count and their sum.
func Of(
	families []*dto.MetricFamily, prefix string, now time.Time, every time.Duration, counted Totals,
) (out []metrics.Series, known map[string]query.Meta) {
	known = map[string]query.Meta{}
	ms := now.UnixMilli()
	for _, f := range families {
		name := prefix + strings.TrimPrefix(f.GetName(), "stoa_")
		for _, m := range f.Metric {
			var tags []string
			for _, l := range m.Label {
				tags = append(tags, l.GetName()+":"+l.GetValue())
			}
			tags = metrics.Normalize(tags)
			add := func(metric string, kind query.MetricType, unit string, v float64) {
				meta := query.Meta{Type: kind, Unit: unit}
				if kind == query.Count {
					meta.Interval = int64(every / time.Second)
					v = counted.since(metric+"{"+strings.Join(tags, ",")+"}", v)
				}
				known[metric] = meta
				out = append(out, metrics.Series{
					Metric: metric, Tags: tags, Samples: []metrics.Sample{{Ms: ms, Value: v}},
				})
			}
			switch {
			case m.Counter != nil:
				add(name, query.Count, unitOf(name), m.Counter.GetValue())
			case m.Gauge != nil:
				add(name, query.Gauge, unitOf(name), m.Gauge.GetValue())
			case m.Histogram != nil:
				add(name+".count", query.Count, "", float64(m.Histogram.GetSampleCount()))
				add(name+".sum", query.Count, unitOf(name), m.Histogram.GetSampleSum())
			}
		}
	}
	return out, known
}

// unitOf is the unit that the name of a metric ends with.
func unitOf(name string) string {
	name = strings.TrimSuffix(name, "_total")
	for _, unit := range []string{"byte", "second"} {
		if strings.HasSuffix(name, "_"+unit+"s") {
			return unit
		}
	}
	return ""
}

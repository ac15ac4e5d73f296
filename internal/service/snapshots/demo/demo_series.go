package demo

import (
	"fmt"
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Step is the distance of points.
const Step = time.Minute

const hosts = 4

// Meta says what the metrics are.
func Meta() map[string]query.Meta {
	return map[string]query.Meta{
		"system.cpu.user":       {Type: query.Gauge, Unit: "percent"},
		"system.mem.used":       {Type: query.Gauge, Unit: "byte"},
		"http.requests":         {Type: query.Count, Interval: 60, Unit: "request"},
		"http.request.duration": {Type: query.DistribType, Unit: "millisecond"},
	}
}

// Series is deterministic: the same clock gives the same graphs. The small build
// takes no points.
func Series(now time.Time) []metrics.Series {
	if smallbuild.Enabled {
		return nil
	}
	var out []metrics.Series
	for h := range hosts {
		tags := metrics.Normalize([]string{
			fmt.Sprintf("host:web-%d", h+1), "env:prod", "zone:" + string(rune('a'+h%2)),
		})
		cpu := metrics.Series{Metric: "system.cpu.user", Tags: tags}
		mem := metrics.Series{Metric: "system.mem.used", Tags: tags}
		latency := metrics.Series{Metric: "http.request.duration", Tags: tags}
		for at := now.Add(-24 * time.Hour); !at.After(now); at = at.Add(Step) {
			busy, ms := load(at, h), at.UnixMilli()
			cpu.Samples = append(cpu.Samples, metrics.Sample{Ms: ms, Value: 12 + 55*busy})
			mem.Samples = append(mem.Samples, metrics.Sample{
				Ms: ms, Value: (1.2 + 0.5*busy + 0.2*float64(h)) * (1 << 30),
			})
			if at.Unix()%300 == 0 {
				latency.Samples = append(latency.Samples, metrics.Sample{Ms: ms, Sketch: latencies(busy, at)})
			}
		}
		out = append(out, cpu, mem, latency)
	}
	for i, service := range []string{"checkout", "search", "catalog", "login"} {
		requests := metrics.Series{
			Metric: "http.requests", Tags: metrics.Normalize([]string{"service:" + service, "env:prod"}),
		}
		for at := now.Add(-24 * time.Hour); !at.After(now); at = at.Add(Step) {
			requests.Samples = append(requests.Samples, metrics.Sample{
				Ms: at.UnixMilli(), Value: math.Round(900 / float64(i+1) * (0.2 + load(at, i))),
			})
		}
		out = append(out, requests)
	}
	return out
}

// load is a day's rhythm with some noise, 0 to 1.
func load(at time.Time, h int) float64 {
	day := float64(at.Unix()%86400) / 86400
	base := 0.5 - 0.38*math.Cos(2*math.Pi*(day-0.1))
	noise := 0.05*math.Sin(float64(at.Unix())/700+float64(3*h)) + 0.03*math.Sin(float64(at.Unix())/97+float64(5*h))
	return min(max(base+noise+0.02*float64(h), 0), 1)
}

// latencies counts a few hundred requests, whose spread grows with the load. Every
// point counts into the same bins: a bin that a series has not seen makes the store
// encode the points before it anew.
func latencies(busy float64, at time.Time) *query.Sketch {
	const bins, step, requests = 40, 1.15, 600
	scale := (20 + 60*busy) * (1 + 0.05*math.Sin(float64(at.Unix())))
	faster := func(ms float64) float64 { return 1 - math.Exp(-math.Pow(ms/scale, 1.25)) }
	sk := query.NewSketch()
	for i, ms := 0, 1.5; i < bins; i, ms = i+1, ms*step {
		share := faster(ms*math.Sqrt(step)) - faster(ms/math.Sqrt(step))
		sk.AddN(ms, max(1, math.Round(requests*share)))
	}
	return sk
}

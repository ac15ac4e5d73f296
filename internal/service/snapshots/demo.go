package snapshots

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// The demo world has a day of a small web shop: four hosts, requests by
// service, latencies as a distribution, and two deployments.
const (
	demoStep  = time.Minute
	demoHosts = 4
)

func (s *Service) demo(ctx context.Context, d *module.Demo) error {
	user, err := s.identity.UserByName(ctx, d.User)
	if err != nil {
		return err
	}
	t := Tenant{Org: "u" + strconv.FormatInt(user.ID, 10), Number: user.ID}
	now := s.world.Clock.Now().Truncate(demoStep)
	in := submission{meta: map[string]query.Meta{
		"system.cpu.user":       {Type: query.Gauge, Unit: "percent"},
		"system.mem.used":       {Type: query.Gauge, Unit: "byte"},
		"http.requests":         {Type: query.Count, Interval: 60, Unit: "request"},
		"http.request.duration": {Type: query.DistribType, Unit: "millisecond"},
	}}
	in.series = demoSeries(now)
	if _, err := s.Submit(ctx, t, in); err != nil {
		return err
	}
	for hours, title := range map[time.Duration]string{5: "Deployed checkout 2.1", 14: "Deployed search 1.8"} {
		e := Event{
			Title: title, Text: title, Happened: now.Add(-hours * time.Hour).Unix(),
			Tags: []string{"env:prod", "deploy"},
		}
		if _, err := s.PostEvent(ctx, t, e); err != nil {
			return err
		}
	}
	return nil
}

// demoSeries is deterministic: the same clock gives the same graphs.
func demoSeries(now time.Time) []metrics.Series {
	var out []metrics.Series
	for h := range demoHosts {
		tags := metrics.Normalize([]string{
			fmt.Sprintf("host:web-%d", h+1), "env:prod", "zone:" + string(rune('a'+h%2)),
		})
		cpu := metrics.Series{Metric: "system.cpu.user", Tags: tags}
		mem := metrics.Series{Metric: "system.mem.used", Tags: tags}
		latency := metrics.Series{Metric: "http.request.duration", Tags: tags}
		for at := now.Add(-24 * time.Hour); !at.After(now); at = at.Add(demoStep) {
			load, ms := demoLoad(at, h), at.UnixMilli()
			cpu.Samples = append(cpu.Samples, metrics.Sample{Ms: ms, Value: 12 + 55*load})
			mem.Samples = append(mem.Samples, metrics.Sample{
				Ms: ms, Value: (1.2 + 0.5*load + 0.2*float64(h)) * (1 << 30),
			})
			if at.Unix()%300 == 0 {
				latency.Samples = append(latency.Samples, metrics.Sample{Ms: ms, Sketch: demoLatency(load, at)})
			}
		}
		out = append(out, cpu, mem, latency)
	}
	for i, service := range []string{"checkout", "search", "catalog", "login"} {
		requests := metrics.Series{
			Metric: "http.requests", Tags: metrics.Normalize([]string{"service:" + service, "env:prod"}),
		}
		for at := now.Add(-24 * time.Hour); !at.After(now); at = at.Add(demoStep) {
			requests.Samples = append(requests.Samples, metrics.Sample{
				Ms: at.UnixMilli(), Value: math.Round(900 / float64(i+1) * (0.2 + demoLoad(at, i))),
			})
		}
		out = append(out, requests)
	}
	return out
}

// demoLoad is a day's rhythm with some noise, 0 to 1.
func demoLoad(at time.Time, h int) float64 {
	day := float64(at.Unix()%86400) / 86400
	base := 0.5 - 0.38*math.Cos(2*math.Pi*(day-0.1))
	noise := 0.05*math.Sin(float64(at.Unix())/700+float64(3*h)) + 0.03*math.Sin(float64(at.Unix())/97+float64(5*h))
	return min(max(base+noise+0.02*float64(h), 0), 1)
}

func demoLatency(load float64, at time.Time) *query.Sketch {
	sk := query.NewSketch()
	for i := range 60 {
		x := (float64(i) + 0.5) / 60
		sk.Add((20 + 60*load) * math.Pow(-math.Log(1-x), 0.8) * (1 + 0.1*math.Sin(float64(at.Unix()+int64(i)))))
	}
	return sk
}

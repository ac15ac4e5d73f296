package world

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/deliver/tally"
	"stoa.dev/stoa/internal/platform/jobs/backlog"
	"stoa.dev/stoa/internal/platform/telemetry"
)

const (
	// countEvery is how often the jobs are counted at most, however often
	// the metrics are asked for.
	countEvery = 5 * time.Second
	// countTime bounds one count.
	countTime = 2 * time.Second
	// countShare is how many times as long as a count took there is none: with any number
	// of jobs counting them takes one twentieth of a connection's time at most.
	countShare = 20
)

// countJobs shows the jobs by kind and state among the metrics.
func (w *World) countJobs() {
	c := &jobCounts{}
	w.showSamples("stoa_jobs", "Jobs that are not finished, by kind and state; dead ones wait for an operator.",
		[]string{"kind", "state"}, func() []telemetry.Sample { return c.readBy(w, w.jobStates) })
}

// jobCounts is the last count. It is paced by real time, as the machine is.
type jobCounts struct {
	mu      sync.Mutex
	next    time.Time
	samples []telemetry.Sample
}

// pause is how long a count is good for that took so long.
func pause(took time.Duration) time.Duration { return max(countEvery, countShare*took) }

// jobStates are the jobs by kind and state.
func (w *World) jobStates(ctx context.Context) (samples []telemetry.Sample, err error) {
	counts, err := w.Jobs.Counts(ctx)
	for _, n := range counts {
		samples = append(samples, telemetry.Sample{Labels: []string{n.Kind, string(n.State)}, Value: float64(n.N)})
	}
	return samples, err
}

// readBy gives what count says, or what it said a moment ago.
func (c *jobCounts) readBy(w *World, count func(context.Context) ([]telemetry.Sample, error)) []telemetry.Sample {
	c.mu.Lock()
	defer c.mu.Unlock()
	begun := clock.Real().Now()
	if begun.Before(c.next) {
		return c.samples
	}
	defer func() { now := clock.Real().Now(); c.next = now.Add(pause(now.Sub(begun))) }()
	c.samples = nil
	ctx, cancel := context.WithTimeout(context.Background(), countTime)
	defer cancel()
	samples, err := count(ctx)
	if err != nil {
		w.Telemetry.Log.LogAttrs(ctx, slog.LevelWarn, "jobs not counted for the metrics", slog.Any("error", err))
		return nil
	}
	c.samples = samples
	return c.samples
}

// countDeliveries shows the messages that wait, and how attempts ended.
func (w *World) countDeliveries() {
	waiting := &jobCounts{}
	w.showSamples("stoa_deliveries_waiting", "Messages to receivers that are not delivered yet, by service.",
		[]string{"service"}, func() []telemetry.Sample { return waiting.readBy(w, w.backlogs) })
	w.showSamples("stoa_delivery_attempts_total", "Attempts of this process to deliver messages, by how they ended.",
		[]string{"outcome"}, func() []telemetry.Sample {
			a := w.Deliver.Attempts()
			return []telemetry.Sample{
				{Labels: []string{"delivered"}, Value: float64(a.Delivered)},
				{Labels: []string{"again"}, Value: float64(a.Retried)},
				{Labels: []string{"failed"}, Value: float64(a.Failed)},
			}
		})
}

func (w *World) backlogs(ctx context.Context) (samples []telemetry.Sample, err error) {
	list, err := tally.Backlogs(ctx, w.DB)
	for _, b := range list {
		samples = append(samples, telemetry.Sample{Labels: []string{b.Service}, Value: float64(b.N)})
	}
	return samples, err
}

func (w *World) countAttempts() {
	w.showSamples("stoa_job_attempts_total", "Attempts at jobs by this process, by how they ended.",
		[]string{"outcome"}, func() []telemetry.Sample {
			s := w.Jobs.Stats()
			return []telemetry.Sample{
				{Labels: []string{"done"}, Value: float64(s.Done)},
				{Labels: []string{"failed"}, Value: float64(s.Failed)},
				{Labels: []string{"dead"}, Value: float64(s.Dead)},
			}
		})
	w.showSamples("stoa_jobs_running", "Jobs that this process holds.", nil, func() []telemetry.Sample {
		return []telemetry.Sample{{Value: float64(w.Jobs.Stats().Running)}}
	})
	ages := &jobCounts{}
	w.showSamples("stoa_jobs_oldest_seconds", "How long the oldest job that could run has waited, by kind.",
		[]string{"kind"}, func() []telemetry.Sample { return ages.readBy(w, w.jobAges) })
}

// jobAges are the ages by kind, on the world's clock.
func (w *World) jobAges(ctx context.Context) (samples []telemetry.Sample, err error) {
	ages, err := backlog.Oldest(ctx, w.DB, w.Clock.Now())
	for _, a := range ages {
		samples = append(samples, telemetry.Sample{Labels: []string{a.Kind}, Value: a.Age.Seconds()})
	}
	return samples, err
}

package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

const (
	// quietTime is how long suspects keep other jobs from running, in real time.
	// What is left of them then runs beside the others, still one at a time.
	isolationTime = 30 * time.Second
	// quietEvery is the shortest time between the ends of two such times.
	isolationPause = 5 * time.Minute
)

// quiet reports whether suspects are to run alone now: there are some, and their
// time is not over.
func (d *dispatcher) isolating(now time.Time) bool {
	waiting := d.suspects.running > 0 || len(d.suspects.buffer) > 0 || !d.suspects.next.After(now)
	return waiting && clock.Real().Now().Before(d.isolateUntil)
}

// mayAsk reports whether a group may claim: in quiet, suspects wait until all other
// jobs have ended, and others until there are no suspects.
func (d *dispatcher) mayClaim(g *group, quiet bool) bool {
	if !quiet {
		return true
	}
	return g == d.suspects && !slices.ContainsFunc(d.groups, func(o *group) bool {
		return o != d.suspects && (o.running > 0 || len(o.buffer) > 0)
	})
}

// acceptSuspects takes over what a cycle found out about jobs whose process ended.
func (d *dispatcher) acceptSuspects(r *cycle) {
	for _, o := range r.poisoned {
		d.q.logPoison(o)
		d.outcomes = append(d.outcomes, o)
	}
	if !r.suspects {
		return
	}
	d.suspects.next = r.now
	if now := clock.Real().Now(); now.Sub(d.isolateUntil) > isolationPause {
		d.isolateUntil = now.Add(isolationTime)
	}
}

// judgeSuspects tells those that were alone when their process ended from those
// that are to be tried.
func (r *cycle) sortSuspects(suspects []*claim) {
	for _, c := range suspects {
		if !c.alone {
			r.suspects = true
			continue
		}
		times := "twice"
		if c.deaths > 2 {
			times = fmt.Sprintf("%d times", c.deaths)
		}
		r.poisoned = append(r.poisoned, outcome{
			claim: c, verdict: poison, message: "the process ended " + times + " while this job ran",
		})
	}
}

// reportGuilty counts and logs a job that is dead without another run.
func (q *Queue) logPoison(o outcome) {
	q.dead.Add(1)
	q.log.LogAttrs(context.Background(), slog.LevelError, "job is dead", slog.String("kind", o.Kind), slog.String("id", o.ID),
		slog.Int("deaths", o.deaths), slog.String("error", o.message))
}

// disown gives up what this queue runs when it cannot wait any longer.
func (q *Queue) disown(ctx context.Context) error {
	return q.db.WriteKeyed(ctx, "jobs:"+q.owner, func(ctx context.Context, tx *database.Tx) error { return disown(ctx, tx, q.owner) })
}

package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Schedule is work that repeats.
type Schedule struct {
	// Name is unique in the world, such as "device.sweep".
	Name string
	// Spec is "@every 15m", "@hourly", "@daily", "@weekly", "@monthly" or five
	// fields of cron in UTC ("30 3 * * 1-5").
	Spec string
	// Kind and Payload of the job that each firing enqueues. The job's Asked
	// is the firing time; firings of one schedule never overlap. Moments that
	// were missed while no process ran become one, and a firing whose
	// predecessor still waits is left out.
	Kind    string
	Payload any
}

// storedSchedule is a schedule with its firing times.
type storedSchedule struct {
	name, spec, kind string
	payload          []byte
	next, last       time.Time // last is zero before the first firing
}

// Schedule writes or changes a schedule. An unchanged one keeps its next time,
// so a process may write its schedules at every start.
func (q *Queue) Schedule(ctx context.Context, s Schedule) error {
	k, err := q.kind(s.Kind)
	if err != nil {
		return fmt.Errorf("jobs: schedule %s: %w", s.Name, err)
	}
	spec, err := parseSpec(s.Spec)
	if err != nil {
		return fmt.Errorf("jobs: schedule %s: %w", s.Name, err)
	}
	if !k.accepts(s.Payload) {
		return fmt.Errorf("jobs: schedule %s: payload has type %T, which is not the kind's", s.Name, s.Payload)
	}
	payload, err := json.Marshal(s.Payload)
	if err != nil {
		return fmt.Errorf("jobs: schedule %s: %w", s.Name, err)
	}
	next := spec.after(q.clock.Now())
	err = q.db.WriteKeyed(ctx, scheduleLock, func(ctx context.Context, tx *database.Tx) error {
		at, err := putSchedule(ctx, tx, s, payload, next)
		if err != nil {
			return err
		}
		tx.OnCommit(func() { q.wakeSchedule(at) })
		return nil
	})
	return err
}

// Unschedule ends a schedule. Jobs it has enqueued still run.
func (q *Queue) Unschedule(ctx context.Context, name string) error {
	return q.db.WriteKeyed(ctx, scheduleLock, func(ctx context.Context, tx *database.Tx) error {
		return deleteSchedule(ctx, tx, name)
	})
}

const scheduleLock = "jobs:schedules"

func (q *Queue) wakeSchedule(at time.Time) {
	q.mu.Lock()
	d := q.run
	q.mu.Unlock()
	if d != nil {
		d.expectSchedule(at)
	}
}

// fireSchedules enqueues what the due schedules ask for and moves them on, in
// the transaction of the cycle: no firing is lost, none happens twice.
func (q *Queue) fireSchedules(ctx context.Context, tx *database.Tx, r *cycle) error {
	text := q.claimAll()
	due, err := dueSchedules(ctx, tx, text.kinds, r.now)
	if err != nil {
		return err
	}
	for _, s := range due {
		if err := q.fire(ctx, tx, r, s); err != nil {
			return err
		}
	}
	r.fired, err = q.nextSchedule(ctx, tx)
	return err
}

func (q *Queue) fire(ctx context.Context, tx *database.Tx, r *cycle, s storedSchedule) error {
	spec, err := parseSpec(s.spec)
	if err != nil {
		return fmt.Errorf("jobs: stored schedule %s: %w", s.name, err)
	}
	moved, err := moveSchedule(ctx, tx, s, s.next, spec.afterBoth(s.next, r.now))
	if err != nil || !moved {
		return err // another process was faster
	}
	k, err := q.kind(s.kind)
	if err != nil {
		return err
	}
	lane := "schedule/" + s.name
	e := Enqueue{Kind: s.kind, Key: lane, Dedupe: lane, At: s.next}
	if k.fair {
		e.Owner = systemOwner
	}
	row, err := insertJob(ctx, tx, e, k, s.payload, r.now)
	if err != nil {
		return err
	}
	if row.state == Ready {
		r.upcoming = append(r.upcoming, upcomingJob{kind: s.kind, at: row.claimAt})
	}
	r.placeFresh = r.placeFresh || row.fresh
	return nil
}

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
	// is the firing time; firings of one schedule never overlap.
	Kind    string
	Payload any
	// CatchUp fires once for each moment missed while nobody ran; otherwise
	// those become one, and a firing whose predecessor still waits is left out.
	CatchUp bool
}

// ScheduleInfo is a schedule as operators see it.
type ScheduleInfo struct {
	Name, Spec, Kind string
	CatchUp          bool
	Next, Last       time.Time // Last is zero before the first firing

	payload []byte
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

// Schedules lists all schedules by name.
func (q *Queue) Schedules(ctx context.Context) ([]ScheduleInfo, error) {
	return listSchedules(ctx, q.db)
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

// maxFirings bounds how many missed firings of one schedule are caught up in
// one transaction; the next round goes on.
const maxFirings = 500

// fireSchedules enqueues what the due schedules ask for and moves them on, in
// the transaction of the round: no firing is lost, none happens twice.
func (q *Queue) fireSchedules(ctx context.Context, tx *database.Tx, r *round) error {
	text := q.allKinds()
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

func (q *Queue) fire(ctx context.Context, tx *database.Tx, r *round, s ScheduleInfo) error {
	spec, err := parseSpec(s.Spec)
	if err != nil {
		return fmt.Errorf("jobs: stored schedule %s: %w", s.Name, err)
	}
	times, next := spec.missed(s.Next, r.now, s.CatchUp)
	moved, err := moveSchedule(ctx, tx, s, times[len(times)-1], next)
	if err != nil || !moved {
		return err // another process was faster
	}
	k, err := q.kind(s.Kind)
	if err != nil {
		return err
	}
	e := Enqueue{Kind: s.Kind, Key: "schedule/" + s.Name, MaxAttempts: k.maxAttempts}
	if k.fair {
		e.Owner = systemOwner
	}
	if !s.CatchUp {
		e.Dedupe = e.Key
	}
	for _, e.At = range times {
		row, err := insertJob(ctx, tx, e, k, s.payload, r.now)
		if err != nil {
			return err
		}
		if row.state == Ready {
			r.upcoming = append(r.upcoming, upcomingJob{kind: s.Kind, at: row.claimAt})
		}
		r.place = r.place || row.fresh
	}
	return nil
}

// missed are the firing times from first to now, and the next one after them.
func (s spec) missed(first, now time.Time, all bool) (times []time.Time, next time.Time) {
	if !all {
		return []time.Time{first}, s.afterBoth(first, now)
	}
	for next = first; !next.After(now) && len(times) < maxFirings; {
		times = append(times, next)
		next = s.after(next)
	}
	return times, next
}

package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/cron"
	"stoa.dev/stoa/internal/platform/jobs/store"
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

// Schedule writes or changes a schedule. An unchanged one keeps its next time,
// so a process may write its schedules at every start.
func (q *Queue) Schedule(ctx context.Context, s Schedule) error {
	k, err := q.kind(s.Kind)
	if err != nil {
		return fmt.Errorf("jobs: schedule %s: %w", s.Name, err)
	}
	spec, err := cron.Parse(s.Spec)
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
	row := store.Schedule{Name: s.Name, Spec: s.Spec, Kind: s.Kind, Payload: payload}
	at, err := store.NextFiring(ctx, q.db, row)
	if err == nil {
		q.expect(at) // as at every start but the first
		return nil
	}
	if !errors.Is(err, database.ErrNotFound) {
		return fmt.Errorf("jobs: schedule %s: %w", s.Name, err)
	}
	next := spec.Next(q.clock.Now())
	return q.db.WriteKeyed(ctx, store.ScheduleLock, func(ctx context.Context, tx *database.Tx) error {
		at, err := store.PutSchedule(ctx, tx, row, next)
		if err != nil {
			return err
		}
		tx.OnCommit(func() { q.expect(at) })
		return nil
	})
}

// expect has the dispatcher look at the schedules at a time.
func (q *Queue) expect(at time.Time) {
	if d := q.dispatcher(); d != nil {
		d.ExpectSchedule(at)
	}
}

// Unschedule ends a schedule. Jobs it has enqueued still run.
func (q *Queue) Unschedule(ctx context.Context, name string) error {
	return q.db.WriteKeyed(ctx, store.ScheduleLock, func(ctx context.Context, tx *database.Tx) error {
		return store.DeleteSchedule(ctx, tx, name)
	})
}

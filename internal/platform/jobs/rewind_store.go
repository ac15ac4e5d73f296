package jobs

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// rewound reports whether the clock has gone back since the last cycle. A small
// step back is how clocks are kept right and harms nobody.
func (q *Queue) rewound(now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	back := q.last.Sub(now) > time.Second
	q.last = now
	return back
}

// rewind repairs what a clock that went back would leave waiting for it to come
// around again: jobs that were to run at once, retries and leases. Times that
// somebody asked for stay as they are.
func (q *Queue) rewind(ctx context.Context, tx *database.Tx, now time.Time) error {
	at := database.Time(now)
	for _, s := range []struct {
		text string
		args []any
	}{
		{`UPDATE stoa_jobs SET due = $1, claim_at = $1
			WHERE state = 'ready' AND claim_at > $1 AND (failed > $1 OR (enqueued > $1 AND asked <= enqueued))`, []any{at}},
		{`UPDATE stoa_jobs SET due = $1, claim_at = $1 WHERE state = 'blocked' AND enqueued > $1 AND asked <= enqueued`, []any{at}},
		{`UPDATE stoa_jobs SET due = $1, claim_at = $1 WHERE state = 'suspect' AND claim_at > $1`, []any{at}},
		// Whoever lives extends its lease in time.
		{`UPDATE stoa_jobs SET claim_at = $1 WHERE state = 'running' AND claim_at > $1`, []any{database.Time(now.Add(q.opts.Lease))}},
	} {
		if _, err := tx.Exec(ctx, s.text, s.args...); err != nil {
			return err
		}
	}
	return q.rewindSchedules(ctx, tx, now)
}

// rewindSchedules lets schedules that fired ahead of now fire by the new time.
func (q *Queue) rewindSchedules(ctx context.Context, tx *database.Tx, now time.Time) error {
	all, err := listSchedules(ctx, tx)
	if err != nil {
		return err
	}
	for _, s := range all {
		spec, err := parseSpec(s.spec)
		if err != nil {
			continue // firing it reports that
		}
		if next := spec.after(now); next.Before(s.next) {
			if _, err := moveSchedule(ctx, tx, s, s.last, next); err != nil {
				return err
			}
		}
	}
	return nil
}

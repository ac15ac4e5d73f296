package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/leases"
	"stoa.dev/stoa/internal/platform/jobs/locks"
)

// Cycle is one transaction: outcomes are written, schedules fire, jobs are
// claimed. That shares one commit among many jobs.
type Cycle struct {
	Now        time.Time
	Outcomes   []Outcome
	Rewind     bool // the clock went back
	PlaceFresh bool // there may be fresh jobs
	Fire       bool // schedules may be due
	Requests   []*Request
	// LookFirst asks when each request has something to claim before it claims, so
	// that it asks no more where nothing is due. Of requests by owner it is not known.
	LookFirst bool
	// Step, with LookFirst, is told when the next job is due where none is due now.
	// It may move the clock, and returns its time: jobs are claimed as of then.
	Step func(next time.Time) time.Time
	// Ahead, with Step, is how many jobs may be claimed that are due later, until a time.
	Ahead int
	Until time.Time

	// Set by the queue, the same for all its cycles.
	Kinds    *Kinds
	Holder   string
	Lease    time.Time // when the leases of its claims end
	DeadTime time.Time // dead jobs that failed before it are deleted

	// Results.
	Upcoming []Upcoming // became claimable by this cycle
	Fired    time.Time  // when the next schedule fires, if Fire
	Unplaced bool       // there may be more fresh jobs
	Suspects bool       // there are new ones
	Poisoned []Outcome  // to be written by the next cycle

	empty bool // there are no jobs at all
	reach int  // is Ahead where the clock may be moved
}

// Request asks for up to N jobs.
type Request struct {
	Queries *Queries
	N       int
	Due     bool           // there may be some
	Alone   bool           // of suspects: nothing else runs
	Owners  map[string]int // by owner: how many jobs each one has here
	Ahead   map[string]int // by owner: how many each one may have beyond its share
	Cursor  string         // by owner: who was served last

	// Results.
	Looked bool // at all that the cycle has made claimable
	Claims []*Claim
	Next   time.Time // when the next can be claimed; MaxTime if there is none
}

// Run makes the transaction. The key is the queue's own: on PostgreSQL cycles of
// other processes go on at the same time and pass over locked rows.
func (c *Cycle) Run(ctx context.Context, db *database.DB) error {
	began, lease := c.Now, c.Lease.Sub(c.Now)
	return db.WriteKeyed(ctx, "jobs:"+c.Holder, func(ctx context.Context, tx *database.Tx) (err error) {
		c.Now, c.Lease = began, began.Add(lease)
		c.Upcoming, c.Fired, c.Unplaced, c.Suspects, c.Poisoned = nil, database.MaxTime(), false, false, nil
		if c.Rewind {
			if err := c.rewind(ctx, tx); err != nil {
				return err
			}
		}
		if c.Fire {
			if err := c.fireSchedules(ctx, tx); err != nil {
				return err
			}
		}
		if err := c.writeOutcomes(ctx, tx); err != nil {
			return err
		}
		if len(c.Requests) > 0 {
			if err := leases.SpellOut(ctx, tx); err != nil {
				return err
			}
		}
		if c.empty = false; tx.Engine() == database.SQLite && len(c.Outcomes) == 0 {
			if c.empty, err = Empty(ctx, tx); err != nil {
				return err
			}
		}
		if c.LookFirst {
			if err := c.look(ctx, tx); err != nil {
				return err
			}
			c.Lease = c.Now.Add(lease)
		}
		for _, r := range c.Requests {
			if err := c.claim(ctx, tx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// Empty reports whether there are no jobs. In a quiet world there are none, and the
// statements that look for the due ones of each kind are long.
func Empty(ctx context.Context, db database.Querier) (empty bool, err error) {
	err = db.QueryRow(ctx, `SELECT NOT EXISTS (SELECT 1 FROM stoa_jobs)`).Scan(&empty)
	return empty, err
}

// look finds out what is due, and lets Step move on where nothing is.
func (c *Cycle) look(ctx context.Context, tx *database.Tx) (err error) {
	next := database.MaxTime()
	for _, r := range c.Requests {
		if r.Next = database.MaxTime(); !c.empty {
			if r.Next, err = r.Queries.Next(ctx, tx); err != nil {
				return err
			}
		}
		if r.Next.Before(next) {
			next = r.Next
		}
	}
	if c.reach = 0; c.Step != nil && !c.Unplaced {
		c.reach = c.Ahead
		if next.After(c.Now) {
			c.Now = c.Step(next)
		}
	}
	for _, r := range c.Requests {
		r.Due = !r.Next.After(c.Now)
	}
	return nil
}

// writeOutcomes finishes jobs and moves the lanes on.
func (c *Cycle) writeOutcomes(ctx context.Context, tx *database.Tx) (err error) {
	var fresh []freshJob
	if c.PlaceFresh && tx.Engine() == database.Postgres {
		if fresh, err = listFresh(ctx, tx); err != nil {
			return err
		}
		c.Unplaced = len(fresh) == maxFresh
	}
	keys := laneKeys(c.Outcomes, fresh)
	if err := locks.Lanes(ctx, tx, keys); err != nil {
		return err
	}
	outcomes, err := c.finishBatch(ctx, tx)
	if err != nil {
		return err
	}
	next, err := finish(ctx, tx, c.Holder, outcomes, c.Now)
	if err != nil {
		return err
	}
	if err := placeFresh(ctx, tx, fresh); err != nil {
		return err
	}
	heads, err := promote(ctx, tx, keys)
	if err != nil {
		return err
	}
	c.Upcoming = append(append(c.Upcoming, next...), heads...)
	if slices.ContainsFunc(c.Outcomes,
		func(o Outcome) bool { return o.Verdict == VerdictDead || o.Verdict == VerdictPoison }) {
		return deleteDead(ctx, tx, c.DeadTime)
	}
	return nil
}

func (c *Cycle) claim(ctx context.Context, tx *database.Tx, r *Request) (err error) {
	r.Looked, r.Claims = false, nil
	if c.LookFirst && !r.Due {
		return nil
	}
	r.Next = database.MaxTime()
	due := r.Due
	for _, u := range c.Upcoming {
		due = due || (!u.At.After(c.Now) && u.Suspect == r.Queries.suspects && slices.Contains(r.Queries.kinds, any(u.Kind)))
	}
	if !due || c.empty {
		r.Looked = due
		return nil
	}
	found, err := r.Queries.claim(ctx, tx, c, r)
	if err != nil {
		return err
	}
	r.Looked, r.Claims = true, found.jobs
	for _, j := range r.Claims {
		j.Suspect = r.Queries.suspects
	}
	c.sortSuspects(found.suspects)
	switch {
	case len(r.Claims) == r.N || found.more || c.LookFirst && len(r.Claims) > 0:
		r.Next = c.Now // there may be more
	case r.Queries.byOwner != nil:
		r.Next, err = r.Queries.byOwner.upcoming(ctx, tx, c.Now) // what is due is beyond its owner's share
	default:
		r.Next, err = r.Queries.Next(ctx, tx)
	}
	return err
}

// sortSuspects tells those that were alone when their process ended from those
// that are to be tried.
func (c *Cycle) sortSuspects(suspects []*Claim) {
	for _, s := range suspects {
		if !s.alone {
			c.Suspects = true
			continue
		}
		times := "twice"
		if s.Deaths > 2 {
			times = fmt.Sprintf("%d times", s.Deaths)
		}
		c.Poisoned = append(c.Poisoned, Outcome{
			Claim: s, Verdict: VerdictPoison, Message: "the process ended " + times + " while this job ran",
		})
	}
}

package store

import (
	"context"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/errortext"
	"stoa.dev/stoa/internal/platform/jobs/leases"
)

// Outcome is how an attempt ended.
type Outcome struct {
	*Claim
	Verdict Verdict
	Message string    // of the failure
	RetryAt time.Time // for VerdictRetry and VerdictPostponed
}

// Verdict is what becomes of a job after an attempt.
type Verdict int

// Released and postponed attempts do not count.
const (
	VerdictDone      Verdict = iota
	VerdictRetry             // failed, to be retried
	VerdictDead              // failed for good
	VerdictReleased          // not run, or interrupted by a stop
	VerdictPostponed         // could not begin
	VerdictPoison            // was alone when its process ended: is dead without being run
)

// ends reports whether the job leaves its lane.
func (v Verdict) ends() bool { return v == VerdictDone || v == VerdictDead || v == VerdictPoison }

// Upcoming is a job that became claimable.
type Upcoming struct {
	Kind string
	At   time.Time
	// Suspect is set when it is still one.
	Suspect bool
}

// finish writes outcomes. Each write checks the holder: a job whose lease ran
// out belongs to another process by now, and its outcome no longer counts. The
// lanes of the jobs are locked, and promoted afterwards, by the caller.
func finish(
	ctx context.Context, tx *database.Tx, holder string, outcomes []Outcome, now time.Time,
) (next []Upcoming, err error) {
	if err := deleteDone(ctx, tx, holder, outcomes); err != nil {
		return nil, err
	}
	for _, o := range outcomes {
		switch o.Verdict {
		case VerdictRetry:
			err = retryJob(ctx, tx, holder, o, now)
			next = append(next, Upcoming{o.Kind, o.RetryAt, false})
		case VerdictReleased:
			err = releaseJob(ctx, tx, holder, o, o.Due)
			next = append(next, Upcoming{o.Kind, o.Due, o.Suspect})
		case VerdictPostponed:
			err = releaseJob(ctx, tx, holder, o, o.RetryAt)
			next = append(next, Upcoming{o.Kind, o.RetryAt, o.Suspect})
		case VerdictDead:
			err = markDead(ctx, tx, holder, o, now)
		case VerdictPoison:
			err = markPoison(ctx, tx, o, now)
		case VerdictDone:
		}
		if err != nil {
			return nil, err
		}
	}
	return next, nil
}

// finishBatch writes the outcomes of a batch, and returns those that are left to be written
// one by one: of the jobs that have leases of their own.
func (c *Cycle) finishBatch(ctx context.Context, tx *database.Tx) (left []Outcome, err error) {
	var ended, keep []int64
	some := false
	for _, o := range c.Outcomes {
		some = some || o.batched
		switch {
		case o.batched && o.Verdict == VerdictDone:
			ended = append(ended, o.Seq)
		case o.batched && o.Verdict != VerdictReleased:
			keep = append(keep, o.Seq)
			left = append(left, o)
		default:
			left = append(left, o) // one that was released and not held is not found
		}
	}
	if !some {
		return c.Outcomes, nil
	}
	there, err := leases.End(ctx, tx, leases.Batch{Holder: c.Holder, Lease: c.Lease}, ended, keep)
	if !there {
		left = c.Outcomes
	}
	return left, err
}

// laneKeys are the lanes that may have a new first job: those whose head is gone
// and those of fresh jobs.
func laneKeys(outcomes []Outcome, fresh []freshJob) (keys []string) {
	for _, f := range fresh {
		keys = append(keys, f.key)
	}
	for _, o := range outcomes {
		if o.Key != "" && o.Verdict.ends() {
			keys = append(keys, o.Key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

const deleteHeld = `DELETE FROM stoa_jobs WHERE ` + leases.HeldBy + `$1 AND seq IN (`

func deleteDone(ctx context.Context, tx *database.Tx, holder string, outcomes []Outcome) error {
	var seqs []int64
	for _, o := range outcomes {
		if o.Verdict == VerdictDone {
			seqs = append(seqs, o.Seq)
		}
	}
	for _, part := range database.Chunks(seqs) {
		_, err := tx.Exec(ctx, `
			`+deleteHeld+database.Placeholders(2, len(part))+`)`, append([]any{holder}, part...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// keepDedupe drops the dedupe word of a job that waits again if another one
// took its place meanwhile.
const keepDedupe = `dedupe = CASE WHEN EXISTS (
	SELECT 1 FROM stoa_jobs o
	WHERE o.kind = stoa_jobs.kind AND o.dedupe = stoa_jobs.dedupe AND o.dedupe <> '' AND o.state IN ('ready', 'blocked'))
	THEN '' ELSE dedupe END`

func retryJob(ctx context.Context, tx *database.Tx, holder string, o Outcome, now time.Time) error {
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET state = 'ready', due = $3, claim_at = $3, holder = '', alone = FALSE, failed = $4, error = $5, `+keepDedupe+`
		WHERE seq = $1 AND holder = $2 AND state = 'running'`,
		o.Seq, holder, database.Time(o.RetryAt), database.Time(now), errortext.Storable(o.Message))
	return err
}

// releaseJob hands a job back that did not run. A suspect stays one.
func releaseJob(ctx context.Context, tx *database.Tx, holder string, o Outcome, at time.Time) error {
	state := Ready
	if o.Suspect {
		state = Suspect
	}
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET state = $4, due = $3, claim_at = $3, holder = '', alone = FALSE, attempt = attempt - 1, `+keepDedupe+`
		WHERE seq = $1 AND holder = $2 AND state = 'running'`, o.Seq, holder, database.Time(at), string(state))
	return err
}

func markDead(ctx context.Context, tx *database.Tx, holder string, o Outcome, now time.Time) error {
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET state = 'dead', holder = '', alone = FALSE, failed = $3, error = $4
		WHERE seq = $1 AND holder = $2 AND state = 'running'`,
		o.Seq, holder, database.Time(now), errortext.Storable(o.Message))
	return err
}

// markPoison makes a suspect dead that was alone when its process ended.
func markPoison(ctx context.Context, tx *database.Tx, o Outcome, now time.Time) error {
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET state = 'dead', holder = '', alone = FALSE, failed = $2, error = $3
		WHERE seq = $1 AND state = 'suspect' AND alone`, o.Seq, database.Time(now), errortext.Storable(o.Message))
	return err
}

// deleteDead deletes dead jobs that no operator looked after in time.
func deleteDead(ctx context.Context, tx *database.Tx, before time.Time) error {
	_, err := tx.Exec(ctx, `DELETE FROM stoa_jobs WHERE state = 'dead' AND failed < $1`, database.Time(before))
	return err
}

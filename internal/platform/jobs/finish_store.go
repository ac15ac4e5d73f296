package jobs

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
)

// outcome is how an attempt ended.
type outcome struct {
	*claim
	verdict verdict
	message string    // of the failure
	retryAt time.Time // for again and postponed
}

type verdict int

const (
	done      verdict = iota
	retry             // failed, to be retried
	dead              // failed for good
	released          // not run, or interrupted by Stop: does not count
	postponed         // could not begin: does not count either
	poison            // was alone when its process ended: is dead without being run
)

// upcomingJob is a job that a finished one made claimable.
type upcomingJob struct {
	kind string
	at   time.Time
	// trial is set when it is still a suspect.
	suspect bool
}

// finish writes outcomes. Each write checks the holder: a job whose lease ran
// out belongs to another process by now, and its outcome no longer counts. The
// lanes of the jobs are locked, and promoted afterwards, by the caller.
func finish(ctx context.Context, tx *database.Tx, holder string, outcomes []outcome, now time.Time) (next []upcomingJob, err error) {
	if err := deleteDone(ctx, tx, holder, outcomes); err != nil {
		return nil, err
	}
	for _, o := range outcomes {
		switch o.verdict {
		case retry:
			err = retryJob(ctx, tx, holder, o, now)
			next = append(next, upcomingJob{o.Kind, o.retryAt, false})
		case released:
			err = releaseJob(ctx, tx, holder, o, o.Due)
			next = append(next, upcomingJob{o.Kind, o.Due, o.suspect})
		case postponed:
			err = releaseJob(ctx, tx, holder, o, o.retryAt)
			next = append(next, upcomingJob{o.Kind, o.retryAt, o.suspect})
		case dead:
			err = markDead(ctx, tx, holder, o, now)
		case poison:
			err = markPoison(ctx, tx, o, now)
		case done:
		}
		if err != nil {
			return nil, err
		}
	}
	return next, nil
}

// laneKeys are the lanes that may have a new first job: those whose head is gone
// and those of fresh jobs.
func laneKeys(outcomes []outcome, fresh []freshJob) (keys []string) {
	for _, f := range fresh {
		keys = append(keys, f.key)
	}
	for _, o := range outcomes {
		if o.Key != "" && (o.verdict == done || o.verdict == dead || o.verdict == poison) {
			keys = append(keys, o.Key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func deleteDone(ctx context.Context, tx *database.Tx, holder string, outcomes []outcome) error {
	var seqs []int64
	for _, o := range outcomes {
		if o.verdict == done {
			seqs = append(seqs, o.seq)
		}
	}
	for _, part := range database.Chunks(seqs) {
		_, err := tx.Exec(ctx, `
			DELETE FROM stoa_jobs WHERE holder = $1 AND state = 'running' AND seq IN (`+database.Placeholders(2, len(part))+`)`,
			append([]any{holder}, part...)...)
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

func retryJob(ctx context.Context, tx *database.Tx, holder string, o outcome, now time.Time) error {
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET state = 'ready', due = $3, claim_at = $3, holder = '', alone = FALSE, failed = $4, error = $5, `+keepDedupe+`
		WHERE seq = $1 AND holder = $2 AND state = 'running'`,
		o.seq, holder, database.Time(o.retryAt), database.Time(now), cleanText(o.message))
	return err
}

// releaseJob hands a job back that did not run. A suspect stays one.
func releaseJob(ctx context.Context, tx *database.Tx, holder string, o outcome, at time.Time) error {
	state := Ready
	if o.suspect {
		state = Suspect
	}
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET state = $4, due = $3, claim_at = $3, holder = '', alone = FALSE, attempt = attempt - 1, `+keepDedupe+`
		WHERE seq = $1 AND holder = $2 AND state = 'running'`, o.seq, holder, database.Time(at), string(state))
	return err
}

func markDead(ctx context.Context, tx *database.Tx, holder string, o outcome, now time.Time) error {
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET state = 'dead', holder = '', alone = FALSE, failed = $3, error = $4
		WHERE seq = $1 AND holder = $2 AND state = 'running'`,
		o.seq, holder, database.Time(now), cleanText(o.message))
	return err
}

// condemn makes a suspect dead that was alone when its process ended.
func markPoison(ctx context.Context, tx *database.Tx, o outcome, now time.Time) error {
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET state = 'dead', holder = '', alone = FALSE, failed = $2, error = $3
		WHERE seq = $1 AND state = 'suspect' AND alone`, o.seq, database.Time(now), cleanText(o.message))
	return err
}

// dropDead deletes dead jobs that nobody looked after in time.
func dropDead(ctx context.Context, tx *database.Tx, before time.Time) error {
	_, err := tx.Exec(ctx, `DELETE FROM stoa_jobs WHERE state = 'dead' AND failed < $1`, database.Time(before))
	return err
}

// maxMessage bounds what is kept of an error.
const maxMessage = 2000

// cleanText makes an error text storable: valid, without NUL, not too long.
func cleanText(s string) string {
	if len(s) > maxMessage {
		s = s[:maxMessage]
		for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

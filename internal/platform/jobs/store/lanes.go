package store

import (
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
)

// HastenLane makes the job at the head of lane $1 due at $2. SQLite takes the index of heads only if
// its words stand here too; without them it reads all jobs.
const HastenLane = `UPDATE stoa_jobs SET due = $2, claim_at = $2 WHERE key = $1 AND key <> '' AND state = 'ready'
	AND state IN ('ready', 'running', 'suspect') AND claim_at > $2 RETURNING kind`

// freshJob is a job that waits for its place on its lane.
type freshJob struct {
	seq int64
	key string
}

// maxFresh bounds how many of them one cycle deals with.
const maxFresh = 256

func listFresh(ctx context.Context, q database.Querier) ([]freshJob, error) {
	return database.All(ctx, q, func(s database.Scanner) (f freshJob, err error) {
		err = s.Scan(&f.seq, &f.key)
		return f, err
	}, `SELECT seq, key FROM stoa_jobs WHERE fresh ORDER BY seq LIMIT $1`, maxFresh)
}

// placeFresh takes note of fresh jobs, whose lanes are locked; promote then finds them.
func placeFresh(ctx context.Context, tx *database.Tx, jobs []freshJob) error {
	seqs := make([]int64, 0, len(jobs))
	for _, f := range jobs {
		seqs = append(seqs, f.seq)
	}
	for _, part := range database.Chunks(seqs) {
		if _, err := tx.Exec(ctx, `UPDATE stoa_jobs SET fresh = FALSE WHERE seq IN (`+database.Placeholders(1, len(part))+`)`, part...); err != nil {
			return err
		}
	}
	return nil
}

// HasFresh reports whether jobs wait for their places on their lanes.
func HasFresh(ctx context.Context, q database.Querier) (bool, error) {
	fresh, err := listFresh(ctx, q)
	return len(fresh) > 0, err
}

// promote makes the first job of each lane claimable, unless the lane is held.
func promote(ctx context.Context, tx *database.Tx, keys []string) (heads []Upcoming, err error) {
	for _, part := range database.Chunks(keys) {
		// The keys are rows, not an IN list, so that each costs one look at
		// the index, however long its lane is.
		rows, err := database.All(ctx, tx, scanUpcoming, `
			WITH k(key) AS (VALUES `+asRows(database.Placeholders(1, len(part)))+`)
			UPDATE stoa_jobs SET state = 'ready', fresh = FALSE
			WHERE state = 'blocked'
				AND seq IN (SELECT (
					SELECT j.seq FROM stoa_jobs j WHERE j.key = k.key AND j.key <> '' AND j.state <> 'dead' ORDER BY j.seq LIMIT 1
				) FROM k)
				AND NOT EXISTS (
					SELECT 1 FROM stoa_jobs h WHERE h.key = stoa_jobs.key AND h.key <> '' AND h.state IN ('ready', 'running', 'suspect'))
			RETURNING kind, claim_at`, part...)
		if err != nil {
			return nil, err
		}
		heads = append(heads, rows...)
	}
	return heads, nil
}

// asRows turns a list of placeholders into rows for VALUES.
func asRows(list string) string { return "(" + strings.ReplaceAll(list, ", ", "), (") + ")" }

func scanUpcoming(s database.Scanner) (u Upcoming, err error) {
	err = s.Scan(&u.Kind, database.ScanTime(&u.At))
	return u, err
}

package jobs

import (
	"context"
	"errors"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// claim is a job held by this queue.
type claim struct {
	Job
	seq     int64
	payload []byte
	state   State
	deaths  int
	alone   bool // the state's own, of a suspect
	suspect bool // it is a suspect's run

	// Of the queue's lock.
	cancel context.CancelCauseFunc // set once it runs
	lost   bool                    // another process has it
}

func formatID(seq int64) string { return strconv.FormatInt(seq, 10) }

func parseID(id string) (int64, error) {
	seq, err := strconv.ParseInt(id, 10, 64)
	if err != nil || seq <= 0 || formatID(seq) != id {
		return 0, ErrNotFound
	}
	return seq, nil
}

type insertedRow struct {
	seq     int64
	state   State
	fresh   bool
	claimAt time.Time
}

// insertJob writes a job, or finds the waiting one with the same dedupe word. On
// SQLite, with its one writer, it sees whether the lane is free. Elsewhere a job
// of a lane is fresh: the next cycle of any process puts it in its place, under
// a lock that the transactions of services then need not wait for.
func insertJob(ctx context.Context, tx *database.Tx, e Enqueue, k *Registration, payload []byte, now time.Time) (insertedRow, error) {
	fresh := e.Key != "" && tx.Engine() == database.Postgres
	return database.One(ctx, tx, scanInserted, `
		INSERT INTO stoa_jobs AS j (kind, version, payload, key, dedupe, fresh, state,
			asked, due, claim_at, attempt, max_attempts, owner, holder, deaths, alone, safe, enqueued, error)
		VALUES ($1, 1, $2, $3, $4, $8,
			CASE WHEN $8 THEN 'blocked'
				WHEN $3 <> '' AND EXISTS (SELECT 1 FROM stoa_jobs b WHERE b.key = $3 AND b.key <> '' AND b.state <> 'dead')
				THEN 'blocked' ELSE 'ready' END,
			$5, $5, $5, 0, $6, $9, '', 0, FALSE, $10, $7, '')
		ON CONFLICT (kind, dedupe) WHERE dedupe <> '' AND state IN ('ready', 'blocked') DO UPDATE SET
			due = CASE WHEN j.attempt = 0 AND excluded.due < j.due THEN excluded.due ELSE j.due END,
			claim_at = CASE WHEN j.attempt = 0 AND excluded.due < j.due THEN excluded.due ELSE j.claim_at END
		RETURNING seq, state, fresh, claim_at`,
		e.Kind, payload, e.Key, e.Dedupe, database.Time(e.At), k.maxAttempts, database.Time(now), fresh, e.Owner, k.safe)
}

// countOwned is how many jobs of a kind an owner has, counted up to most.
func countOwned(ctx context.Context, tx *database.Tx, kind, owner string, most int) (n int, err error) {
	err = tx.QueryRow(ctx, `
		SELECT COUNT(*) FROM (
			SELECT 1 FROM stoa_jobs WHERE kind = $1 AND owner = $2 AND owner <> '' AND state <> 'dead' LIMIT $3) AS owned`,
		kind, owner, most).Scan(&n)
	return n, err
}

// dedupes reports whether a job of the kind waits with the same dedupe word.
func dedupes(ctx context.Context, tx *database.Tx, kind, word string) (waits bool, err error) {
	err = tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT 1 FROM stoa_jobs
			WHERE kind = $1 AND dedupe = $2 AND dedupe <> '' AND state IN ('ready', 'blocked'))`, kind, word).Scan(&waits)
	return waits, err
}

func scanInserted(s database.Scanner) (r insertedRow, err error) {
	err = s.Scan(&r.seq, &r.state, &r.fresh, database.ScanTime(&r.claimAt))
	return r, err
}

// orMaxTime turns "there is none" into a time that never comes.
func orMaxTime(t time.Time, err error) (time.Time, error) {
	if errors.Is(err, database.ErrNotFound) {
		return database.MaxTime(), nil
	}
	return t, err
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

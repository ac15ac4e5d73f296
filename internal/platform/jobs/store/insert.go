package store

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// NewJob is a job to be written.
type NewJob struct {
	Kind               Kind
	Payload            []byte
	Key, Dedupe, Owner string
	At                 time.Time
}

// Inserted is a job that was written, or the one that waited already.
type Inserted struct {
	ID string
	// Ready jobs can be claimed from ClaimAt on. A Fresh one has yet to be given
	// its place on its lane.
	Ready, Fresh bool
	ClaimAt      time.Time
}

// Insert writes a job, or finds the waiting one with the same dedupe word. On
// SQLite, with its one writer, it sees whether the lane is free. Elsewhere a job
// of a lane is fresh: the next cycle of any process puts it in its place, under
// a lock that the transactions of services then need not wait for.
func Insert(ctx context.Context, tx *database.Tx, j NewJob, now time.Time) (Inserted, error) {
	fresh := j.Key != "" && tx.Engine() == database.Postgres
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
		j.Kind.Name, j.Payload, j.Key, j.Dedupe, database.Time(j.At), j.Kind.MaxAttempts, database.Time(now), fresh, j.Owner,
		j.Kind.Safe)
}

// CountOwned is how many jobs of a kind an owner has, counted up to limit. That is one
// walk along an index: no kind lets more than 1,000 of an owner wait.
func CountOwned(ctx context.Context, tx *database.Tx, kind, owner string, limit int) (n int, err error) {
	err = tx.QueryRow(ctx, `
		SELECT COUNT(*) FROM (
			SELECT 1 FROM stoa_jobs WHERE kind = $1 AND owner = $2 AND owner <> '' AND state <> 'dead' LIMIT $3) AS owned`,
		kind, owner, limit).Scan(&n)
	return n, err
}

// HasDuplicate reports whether a job of the kind waits with the same dedupe word.
func HasDuplicate(ctx context.Context, tx *database.Tx, kind, word string) (waits bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM stoa_jobs
			WHERE kind = $1 AND dedupe = $2 AND dedupe <> '' AND state IN ('ready', 'blocked'))`, kind, word).Scan(&waits)
	return waits, err
}

func scanInserted(s database.Scanner) (i Inserted, err error) {
	var seq int64
	var state State
	err = s.Scan(&seq, &state, &i.Fresh, database.ScanTime(&i.ClaimAt))
	i.ID, i.Ready = formatID(seq), state == Ready
	return i, err
}

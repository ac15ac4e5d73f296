package jobs

import (
	"context"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// claim is a job held by this queue.
type claim struct {
	Job
	seq     int64
	version int
	payload []byte
	cancel  context.CancelCauseFunc // set while it runs
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
	claimAt time.Time
}

// insertJob writes a job, or finds the waiting one with the same dedupe word.
func insertJob(ctx context.Context, tx *database.Tx, e Enqueue, version int, payload []byte, now time.Time) (insertedRow, error) {
	if e.Key != "" {
		if err := lockLanes(ctx, tx, []string{e.Key}); err != nil {
			return insertedRow{}, err
		}
	}
	return database.One(ctx, tx, scanInserted, `
		INSERT INTO stoa_jobs AS j (kind, version, payload, key, dedupe, state,
			asked, due, claim_at, attempt, max_attempts, owner, enqueued, error)
		VALUES ($1, $2, $3, $4, $5,
			CASE WHEN $4 <> '' AND EXISTS (SELECT 1 FROM stoa_jobs b WHERE b.key = $4 AND b.key <> '' AND b.state <> 'dead')
				THEN 'blocked' ELSE 'ready' END,
			$6, $6, $6, 0, $7, '', $8, '')
		ON CONFLICT (kind, dedupe) WHERE dedupe <> '' AND state IN ('ready', 'blocked') DO UPDATE SET
			due = CASE WHEN j.attempt = 0 AND excluded.due < j.due THEN excluded.due ELSE j.due END,
			claim_at = CASE WHEN j.attempt = 0 AND excluded.due < j.due THEN excluded.due ELSE j.claim_at END
		RETURNING seq, state, claim_at`,
		e.Kind, version, payload, e.Key, e.Dedupe, database.Time(e.At), e.MaxAttempts, database.Time(now))
}

func scanInserted(s database.Scanner) (r insertedRow, err error) {
	err = s.Scan(&r.seq, &r.state, database.ScanTime(&r.claimAt))
	return r, err
}

// laneBuckets is the number of rows in stoa_job_lanes.
const laneBuckets = 1024

// lockLanes makes sure that, on PostgreSQL, no job of these lanes is enqueued
// or finished by another transaction until this one ends, and that this one
// sees what those before it did: under SERIALIZABLE by being retried, under
// READ COMMITTED because it has waited. SQLite has one writer.
func lockLanes(ctx context.Context, tx *database.Tx, keys []string) error {
	if tx.Engine() != database.Postgres {
		return nil
	}
	buckets := make([]int64, 0, len(keys))
	for _, key := range keys {
		h := fnv.New32a()
		h.Write([]byte(key)) // never fails
		buckets = append(buckets, int64(h.Sum32()%laneBuckets))
	}
	// One order for all: nobody waits in a circle.
	slices.Sort(buckets)
	for part := range slices.Chunk(slices.Compact(buckets), listWidth) {
		_, err := tx.Exec(ctx, `
			WITH l AS (SELECT bucket FROM stoa_job_lanes WHERE bucket IN (`+from1+`) ORDER BY bucket FOR UPDATE)
			UPDATE stoa_job_lanes SET turns = turns + 1 WHERE bucket IN (SELECT bucket FROM l)`, pad(part)...)
		if err != nil {
			return err
		}
	}
	return nil
}

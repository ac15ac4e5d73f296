package leases

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Batch is many jobs that one process holds by one row: who claims hundreds and ends them
// in the next transaction writes the jobs themselves only once, when they go. Their rows
// read as ready meanwhile, so every transaction that claims, extends or takes over jobs
// calls SpellOut first. That needs transactions that run one after the other: SQLite.
type Batch struct {
	Holder string
	Lease  time.Time // when it ends
	Seqs   []int64   // of ready jobs
}

// Put writes a batch. Its holder has no other one.
func Put(ctx context.Context, tx *database.Tx, b Batch) error {
	seqs, err := json.Marshal(b.Seqs)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO stoa_job_batches (holder, lease, seqs) VALUES ($1, $2, $3)`,
		b.Holder, database.Time(b.Lease), string(seqs))
	return err
}

// End ends the batch of a holder. Where it was there still, its jobs are the holder's, and
// those in ended are deleted; keep become leases of their own, for what follows in the
// transaction. The others wait again. Where it was not, all have leases of their own.
func End(ctx context.Context, tx *database.Tx, b Batch, ended, keep []int64) (there bool, err error) {
	result, err := tx.Exec(ctx, `DELETE FROM stoa_job_batches WHERE holder = $1`, b.Holder)
	if err != nil || result.RowsAffected == 0 {
		return false, err
	}
	for _, part := range database.Chunks(ended) {
		if _, err := tx.Exec(ctx, `DELETE FROM stoa_jobs WHERE `+waits+` AND seq IN (`+
			database.Placeholders(1, len(part))+`)`, part...); err != nil {
			return true, err
		}
	}
	b.Seqs = keep
	return true, b.hold(ctx, tx)
}

// waits is hidden from the planner like HeldBy.
const waits = `state || '' = 'ready'`

// hold gives each job a lease of its own.
func (b Batch) hold(ctx context.Context, tx *database.Tx) error {
	for _, part := range database.Chunks(b.Seqs) {
		_, err := tx.Exec(ctx, `
			UPDATE stoa_jobs SET state = 'running', holder = $1, attempt = attempt + 1, claim_at = $2
			WHERE `+waits+` AND seq IN (`+database.Placeholders(3, len(part))+`)`,
			append([]any{b.Holder, database.Time(b.Lease)}, part...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// SpellOut gives the jobs of all batches leases of their own.
func SpellOut(ctx context.Context, tx *database.Tx) error {
	if tx.Engine() != database.SQLite {
		return nil
	}
	all, err := database.All(ctx, tx, scanBatch, `SELECT holder, lease, seqs FROM stoa_job_batches`)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, b := range all {
		if err := b.hold(ctx, tx); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `DELETE FROM stoa_job_batches`)
	return err
}

func scanBatch(s database.Scanner) (b Batch, err error) {
	var seqs string
	if err := s.Scan(&b.Holder, database.ScanTime(&b.Lease), &seqs); err != nil {
		return b, err
	}
	if err := json.Unmarshal([]byte(seqs), &b.Seqs); err != nil {
		return b, fmt.Errorf("jobs: the batch of %s: %w", b.Holder, err)
	}
	return b, nil
}

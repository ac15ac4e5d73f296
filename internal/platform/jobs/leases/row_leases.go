package leases

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// HeldBy are the jobs that a process runs, of which the statement names the numbers. The
// columns are hidden from the planner: by their index it would read all that the process
// runs, and on PostgreSQL all that it has run since the last vacuum, for each list of numbers.
const HeldBy = `state || '' = 'running' AND holder || '' = `

// Extend moves the end of the leases of these jobs and returns which of
// them this process still holds. Those claimed ahead of their times end later.
func Extend(
	ctx context.Context, tx *database.Tx, holder string, lease time.Time, seqs []int64,
) (map[int64]bool, error) {
	if err := SpellOut(ctx, tx); err != nil {
		return nil, err
	}
	kept := make(map[int64]bool, len(seqs))
	for _, part := range database.Chunks(seqs) {
		rows, err := database.All(ctx, tx, scanSeq, `
			UPDATE stoa_jobs SET claim_at = CASE WHEN claim_at > $1 THEN claim_at ELSE $1 END
			WHERE `+HeldBy+`$2 AND seq IN (`+database.Placeholders(3, len(part))+`)
			RETURNING seq`, append([]any{database.Time(lease), holder}, part...)...)
		if err != nil {
			return nil, err
		}
		for _, seq := range rows {
			kept[seq] = true
		}
	}
	return kept, nil
}

const suspectOthers = `
	UPDATE stoa_jobs SET claim_at = CASE WHEN due > $1 THEN due ELSE $1 END, holder = '',
		state = CASE WHEN safe OR holder = '' THEN 'running' ELSE 'suspect' END,
		deaths = CASE WHEN safe OR holder = '' THEN deaths ELSE deaths + 1 END,
		attempt = CASE WHEN safe OR holder = '' THEN attempt ELSE attempt - 1 END
	WHERE state = 'running' AND holder <> $2 AND holder LIKE $3`

// SuspectOthers makes the running jobs of other processes whose names are like a pattern
// suspects, except what is safe or was given up by a process that stopped: that is due.
// What was claimed ahead of its time waits for it.
func SuspectOthers(ctx context.Context, tx *database.Tx, holder, like string, now time.Time) error {
	if err := SpellOut(ctx, tx); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, suspectOthers, database.Time(now), holder, like)
	return err
}

// UncountDeaths takes back what was counted against jobs when their leases ran out: the
// process that held them lives.
func UncountDeaths(ctx context.Context, tx *database.Tx, holder string, seqs []int64) error {
	for _, part := range database.Chunks(seqs) {
		_, err := tx.Exec(ctx, `
			UPDATE stoa_jobs SET deaths = deaths - 1
			WHERE deaths > 0 AND holder <> $1 AND seq IN (`+database.Placeholders(2, len(part))+`)`,
			append([]any{holder}, part...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// Disown gives up the jobs of a process that stops although they have not ended:
// their leases run out without counting against them.
func Disown(ctx context.Context, tx *database.Tx, holder string) error {
	if err := SpellOut(ctx, tx); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE stoa_jobs SET holder = '' WHERE state = 'running' AND holder = $1`, holder)
	return err
}

func scanSeq(s database.Scanner) (seq int64, err error) {
	err = s.Scan(&seq)
	return seq, err
}

package leases

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Rewind repairs what a clock that went back to now would leave waiting for it to come
// around again: jobs that were to run at once, retries, and leases that end after lease.
// Times that were asked for stay as they are.
func Rewind(ctx context.Context, tx *database.Tx, now, lease time.Time) error {
	for _, text := range []string{
		`UPDATE stoa_jobs SET due = $1, claim_at = $1
			WHERE state = 'ready' AND claim_at > $1 AND (failed > $1 OR (enqueued > $1 AND asked <= enqueued))`,
		`UPDATE stoa_jobs SET due = $1, claim_at = $1 WHERE state = 'blocked' AND enqueued > $1 AND asked <= enqueued`,
		`UPDATE stoa_jobs SET due = $1, claim_at = $1 WHERE state = 'suspect' AND claim_at > $1`,
	} {
		if _, err := tx.Exec(ctx, text, database.Time(now)); err != nil {
			return err
		}
	}
	// A process that lives extends its leases in time.
	_, err := tx.Exec(ctx, `
		UPDATE stoa_jobs SET claim_at = CASE WHEN asked > enqueued AND asked > $1 THEN asked ELSE $1 END
		WHERE state = 'running' AND claim_at > $1`, database.Time(lease))
	return err
}

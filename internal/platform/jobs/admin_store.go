package jobs

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const infoColumns = `seq, kind, key, state, payload, asked, due, claim_at, attempt, max_attempts, owner, holder, deaths, enqueued, failed, error`

func scanInfo(s database.Scanner) (i Info, err error) {
	var seq int64
	err = s.Scan(&seq, &i.Kind, &i.Key, &i.State, &i.Payload, database.ScanTime(&i.Asked), database.ScanTime(&i.Due),
		database.ScanTime(&i.ClaimAt), &i.Attempt, &i.MaxAttempts, &i.Owner, &i.Holder, &i.Deaths, database.ScanTime(&i.Enqueued),
		database.ScanNullTime(&i.FailedAt), &i.Error)
	i.ID = formatID(seq)
	return i, err
}

func listJobs(ctx context.Context, q database.Querier, f Filter, after int64) ([]Info, error) {
	return database.All(ctx, q, scanInfo, `
		SELECT `+infoColumns+` FROM stoa_jobs
		WHERE seq > $1 AND ($2 = '' OR state = $2) AND ($3 = '' OR kind = $3) AND ($4 = '' OR key = $4)
			AND ($6 = '' OR owner = $6)
		ORDER BY seq LIMIT $5`, after, string(f.State), f.Kind, f.Key, f.Limit, f.Owner)
}

func getJob(ctx context.Context, q database.Querier, seq int64) (Info, error) {
	i, err := database.One(ctx, q, scanInfo, `SELECT `+infoColumns+` FROM stoa_jobs WHERE seq = $1`, seq)
	if errors.Is(err, database.ErrNotFound) {
		return Info{}, ErrNotFound
	}
	return i, err
}

// reviveJob gives a job all its attempts again. A dead job of a lane joins it
// as blocked; promote decides whether it is the first.
func requeue(ctx context.Context, tx *database.Tx, seq int64, now time.Time) error {
	return changedOne(tx.Exec(ctx, `
		UPDATE stoa_jobs SET attempt = 0, deaths = 0, alone = FALSE, due = $2, claim_at = $2,
			state = CASE WHEN state = 'dead' AND key <> '' THEN 'blocked' WHEN state IN ('dead', 'suspect') THEN 'ready' ELSE state END,
			dedupe = CASE WHEN state NOT IN ('dead', 'suspect') THEN dedupe WHEN EXISTS (
				SELECT 1 FROM stoa_jobs o
				WHERE o.kind = stoa_jobs.kind AND o.dedupe = stoa_jobs.dedupe AND o.dedupe <> '' AND o.state IN ('ready', 'blocked'))
				THEN '' ELSE dedupe END
		WHERE seq = $1 AND state <> 'running'`, seq, database.Time(now)))
}

func deleteJob(ctx context.Context, tx *database.Tx, seq int64) error {
	return changedOne(tx.Exec(ctx, `DELETE FROM stoa_jobs WHERE seq = $1 AND state <> 'running'`, seq))
}

// changed reports a job that a worker took in the meantime.
func changedOne(res database.Result, err error) error {
	if err == nil && res.RowsAffected == 0 {
		return ErrState
	}
	return err
}

func countJobs(ctx context.Context, q database.Querier) ([]Count, error) {
	return database.All(ctx, q, func(s database.Scanner) (c Count, err error) {
		err = s.Scan(&c.Kind, &c.State, &c.N)
		return c, err
	}, `SELECT kind, state, COUNT(*) FROM stoa_jobs GROUP BY kind, state ORDER BY kind, state`)
}

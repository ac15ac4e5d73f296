package store

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/leases"
	"stoa.dev/stoa/internal/platform/jobs/locks"
)

// Info is a job as operators see it.
type Info struct {
	Job
	State    State
	Payload  []byte    // JSON
	Holder   string    // the process that has the lease, while running
	Deaths   int       // processes that ended while they held it
	ClaimAt  time.Time // next attempt, or end of the lease while running
	Error    string    // of the last failed attempt
	FailedAt time.Time // zero if none failed
}

// Filter selects jobs; zero fields select all.
type Filter struct {
	State State
	Kind  string
	Owner string
	Key   string
	// After is the id of the last job of the page before.
	After string
	// Limit is at most 1000; zero means 100.
	Limit int
}

const (
	defaultPage = 100
	maxPage     = 1000
)

const infoColumns = `seq, kind, key, state, payload, asked, due, claim_at, attempt, max_attempts,
	owner, holder, deaths, enqueued, failed, error`

func scanInfo(s database.Scanner) (i Info, err error) {
	var seq int64
	err = s.Scan(&seq, &i.Kind, &i.Key, &i.State, &i.Payload, database.ScanTime(&i.Asked), database.ScanTime(&i.Due),
		database.ScanTime(&i.ClaimAt), &i.Attempt, &i.MaxAttempts, &i.Owner, &i.Holder, &i.Deaths,
		database.ScanTime(&i.Enqueued),
		database.ScanNullTime(&i.FailedAt), &i.Error)
	i.ID = formatID(seq)
	return i, err
}

// List is the selected jobs in enqueue order.
func List(ctx context.Context, q database.Querier, f Filter) ([]Info, error) {
	var after int64
	if f.After != "" {
		var err error
		if after, err = parseID(f.After); err != nil {
			return nil, err
		}
	}
	if f.Limit <= 0 {
		f.Limit = defaultPage
	}
	return database.All(ctx, q, scanInfo, `SELECT `+infoColumns+` FROM stoa_jobs
		WHERE seq > $1 AND ($2 = '' OR state = $2) AND ($3 = '' OR kind = $3) AND ($4 = '' OR key = $4)
			AND ($6 = '' OR owner = $6)
		ORDER BY seq LIMIT $5`, after, string(f.State), f.Kind, f.Key, min(f.Limit, maxPage), f.Owner)
}

// Get is one job; ErrNotFound if it does not exist or has finished.
func Get(ctx context.Context, q database.Querier, id string) (Info, error) {
	seq, err := parseID(id)
	if err != nil {
		return Info{}, err
	}
	i, err := database.One(ctx, q, scanInfo, `SELECT `+infoColumns+` FROM stoa_jobs WHERE seq = $1`, seq)
	if errors.Is(err, database.ErrNotFound) {
		return Info{}, ErrNotFound
	}
	return i, err
}

// Count is how many jobs of a kind are in a state.
type Count struct {
	Kind  string
	State State
	N     int64
}

// Counts are the jobs in the table.
func Counts(ctx context.Context, q database.Querier) ([]Count, error) {
	return database.All(ctx, q, func(s database.Scanner) (c Count, err error) {
		err = s.Scan(&c.Kind, &c.State, &c.N)
		return c, err
	}, `SELECT kind, state, COUNT(*) FROM stoa_jobs GROUP BY kind, state ORDER BY kind, state`)
}

// Requeue makes a job that is not running due now and gives it all its attempts
// again. A dead job of a lane joins it by its place in the order. It returns what
// became claimable.
func Requeue(ctx context.Context, tx *database.Tx, id string, now time.Time) ([]Upcoming, error) {
	return changeOne(ctx, tx, id, func(i Info) (ready []Upcoming, err error) {
		res, err := tx.Exec(ctx, `
			UPDATE stoa_jobs SET attempt = 0, deaths = 0, alone = FALSE, due = $2, claim_at = $2,
				state = CASE WHEN state = 'dead' AND key <> '' THEN 'blocked' WHEN state IN ('dead', 'suspect') THEN 'ready' ELSE state END,
				dedupe = CASE WHEN state NOT IN ('dead', 'suspect') THEN dedupe WHEN EXISTS (
					SELECT 1 FROM stoa_jobs o
					WHERE o.kind = stoa_jobs.kind AND o.dedupe = stoa_jobs.dedupe AND o.dedupe <> '' AND o.state IN ('ready', 'blocked'))
					THEN '' ELSE dedupe END
			WHERE seq = $1 AND state <> 'running'`, i.seq(), database.Time(now))
		if i.Key == "" || i.State == Ready || i.State == Suspect {
			ready = []Upcoming{{Kind: i.Kind, At: now}}
		}
		return ready, taken(res, err)
	})
}

// Discard deletes a job that is not running. It returns what became claimable:
// on a lane the next one follows.
func Discard(ctx context.Context, tx *database.Tx, id string) ([]Upcoming, error) {
	return changeOne(ctx, tx, id, func(i Info) ([]Upcoming, error) {
		return nil, taken(tx.Exec(ctx, `DELETE FROM stoa_jobs WHERE seq = $1 AND state <> 'running'`, i.seq()))
	})
}

func (i Info) seq() int64 {
	seq, _ := parseID(i.ID) // as it was read
	return seq
}

// changeOne changes a job that is not running and then lets its lane go on.
func changeOne(
	ctx context.Context, tx *database.Tx, id string, change func(Info) ([]Upcoming, error),
) (ready []Upcoming, err error) {
	if err := leases.SpellOut(ctx, tx); err != nil {
		return nil, err
	}
	i, err := Get(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	if i.State == Running {
		return nil, ErrState
	}
	var lane []string
	if i.Key != "" {
		lane = []string{i.Key}
	}
	if err := locks.Lanes(ctx, tx, lane); err != nil {
		return nil, err
	}
	if ready, err = change(i); err != nil {
		return nil, err
	}
	heads, err := promote(ctx, tx, lane)
	return append(ready, heads...), err
}

// taken reports a job that a worker took in the meantime.
func taken(res database.Result, err error) error {
	if err == nil && res.RowsAffected == 0 {
		return ErrState
	}
	return err
}

// CountDue is how many jobs could be claimed at a time.
func CountDue(ctx context.Context, q database.Querier, now time.Time) (n int, err error) {
	err = q.QueryRow(ctx, `SELECT count(*) FROM stoa_jobs WHERE state IN ('ready', 'suspect') AND claim_at <= $1`,
		database.Time(now)).Scan(&n)
	return n, err
}

package ahead

import (
	"context"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Query finds jobs of a fixed set of kinds.
type Query struct {
	text  string
	kinds []any
}

// NewQuery is for jobs of these kinds.
func NewQuery(kinds []any) *Query {
	return &Query{kinds: kinds, text: `
		SELECT claim_at, plain FROM (` + EachKind(3, len(kinds), `
			SELECT seq, claim_at, state = 'ready' AND key = '' AND dedupe = '' AS plain FROM stoa_jobs
			WHERE kind = `, ` AND state IN ('ready', 'running') AND claim_at <= $1
			ORDER BY claim_at, seq LIMIT $2`) + `) AS upcoming
		ORDER BY claim_at, seq LIMIT $2`}
}

// EachKind joins the answers of one query per kind, whose parameter stands between its
// two halves.
func EachKind(first, n int, before, after string) string {
	queries := make([]string, n)
	for i := range queries {
		queries[i] = `SELECT * FROM (` + before + database.Placeholders(first+i, 1) + after + `) AS of_kind`
	}
	return strings.Join(queries, ` UNION ALL `)
}

// job is one that may be claimed.
type job struct {
	at    time.Time
	plain bool // neither in a lane nor joined by others nor another's
}

func scanJob(s database.Scanner) (j job, err error) {
	err = s.Scan(database.ScanTime(&j.at), &j.plain)
	return j, err
}

// Find returns how many jobs may be claimed up to a time, at most n: they are the first
// in the order of their times, and last is when the last of them is due.
func (q *Query) Find(ctx context.Context, db database.Querier, until time.Time, n int,
) (found int, last time.Time, err error) {
	jobs, err := database.All(ctx, db, scanJob, q.text, append([]any{database.Time(until), n}, q.kinds...)...)
	if err != nil {
		return 0, last, err
	}
	for _, j := range jobs {
		if !j.plain {
			break
		}
		found, last = found+1, j.at
	}
	return found, last, nil
}

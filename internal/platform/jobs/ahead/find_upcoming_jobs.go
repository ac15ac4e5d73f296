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

// NewQuery is for jobs of these kinds. It reads their index only.
func NewQuery(kinds []any) *Query {
	return &Query{kinds: kinds, text: `
		SELECT seq FROM (` + EachKind(3, len(kinds), `
			SELECT seq, claim_at FROM stoa_jobs
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

// Find gives the numbers of the jobs that come first up to a time, at most n, in the order
// of their times. Some may be held or wait for others.
func (q *Query) Find(ctx context.Context, db database.Querier, until time.Time, n int) (seqs []int64, err error) {
	return database.All(ctx, db, func(s database.Scanner) (seq int64, err error) {
		err = s.Scan(&seq)
		return seq, err
	}, q.text, append([]any{database.Time(until), n}, q.kinds...)...)
}

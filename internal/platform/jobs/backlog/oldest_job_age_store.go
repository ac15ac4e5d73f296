package backlog

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Age is how long the oldest job of a kind that could run has waited.
type Age struct {
	Kind string
	Age  time.Duration
}

// Oldest gives the ages of the kinds that have jobs which could run at now.
func Oldest(ctx context.Context, q database.Querier, now time.Time) ([]Age, error) {
	return database.All(ctx, q, func(s database.Scanner) (Age, error) {
		var a Age
		var since time.Time
		err := s.Scan(&a.Kind, database.ScanTime(&since))
		a.Age = max(now.Sub(since), 0)
		return a, err
	}, `SELECT kind, MIN(claim_at) FROM stoa_jobs WHERE state IN ('ready', 'suspect') AND claim_at <= $1
		GROUP BY kind ORDER BY kind`, database.Time(now))
}

//go:build small

package database

import (
	"context"

	"stoa.dev/stoa/internal/platform/database/liveness"
	"stoa.dev/stoa/internal/platform/leftout"
)

func openPostgres(context.Context, Options) (backend, *liveness.Monitor, error) {
	return nil, nil, leftout.Lacks(leftout.PostgreSQL)
}
func checkPostgres(string) error { return leftout.Refuse("database.url", true, leftout.PostgreSQL) }
func retryable(error) bool       { return false }

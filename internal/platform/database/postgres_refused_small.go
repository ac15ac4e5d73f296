//go:build small

package database

import (
	"context"

	"stoa.dev/stoa/internal/platform/database/liveness"
	"stoa.dev/stoa/internal/platform/smallbuild"
)

func openPostgres(context.Context, Options) (backend, *liveness.Monitor, error) {
	return nil, nil, smallbuild.Lacks(smallbuild.PostgreSQL)
}

func checkPostgres(string) error {
	return smallbuild.Refuse("database.url", true, smallbuild.PostgreSQL)
}

func retryable(error) bool { return false }

package app

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// Hold runs f while the database is not written to and its files do not change,
// so that f can copy the data folder. It may run f more than once.
func (a *App) Hold(ctx context.Context, f func() error) error {
	if err := a.world.Limits.Save(ctx); err != nil {
		return err
	}
	return a.world.DB.Write(ctx, func(context.Context, *database.Tx) error { return f() })
}

// Settle waits for work of the services that is not in the queue of jobs, and
// says whether there was some.
func (a *App) Settle(ctx context.Context) (waited bool, err error) {
	for _, m := range a.modules {
		if m.Settle == nil {
			continue
		}
		some, err := m.Settle(ctx)
		if err != nil {
			return true, err
		}
		waited = waited || some
	}
	return waited, nil
}

// Immutable are patterns of files below the data folder that never change.
func Immutable() []string {
	_, _, modules := blueprint()
	patterns := []string{"blobs/objects/**"}
	for _, m := range modules {
		patterns = append(patterns, m.Immutable...)
	}
	return patterns
}

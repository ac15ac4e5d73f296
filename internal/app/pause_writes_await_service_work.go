package app

import "context"

// Hold runs f while the database is not written to and its files do not change,
// so that f can copy the data folder. whole reports whether the log beside the
// database can be left out.
func (a *App) Hold(ctx context.Context, f func(whole bool) error) error {
	if err := a.world.Limits.Save(ctx); err != nil {
		return err
	}
	return a.world.DB.HoldFiles(ctx, f)
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

// Busy reports whether a service does work that is not in the queue of jobs.
func (a *App) Busy(ctx context.Context) (bool, error) {
	for _, m := range a.modules {
		if m.Busy == nil {
			continue
		}
		if busy, err := m.Busy(ctx); busy || err != nil {
			return busy, err
		}
	}
	return false, nil
}

// Immutable are patterns of files below the data folder that never change.
func Immutable() []string {
	patterns := []string{"blobs/objects/**"}
	for _, m := range blueprint().modules {
		patterns = append(patterns, m.Immutable...)
	}
	return patterns
}

package app

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
)

// Work takes work from the shared database until the context ends, and serves
// no client. ready is called once work is being taken.
func (a *App) Work(ctx context.Context, ready func() error) error {
	if a.Engine() != database.Postgres {
		return module.Fail(module.Config, "name the servers' database with --database; a server on SQLite does its own work",
			"a worker needs the PostgreSQL database that it shares with the servers")
	}
	taken := 0
	for _, m := range a.modules {
		if m.Work == nil {
			continue
		}
		if err := m.Work(ctx); err != nil {
			return fmt.Errorf("work for %s: %w", m.Name, err)
		}
		taken++
	}
	if taken == 0 {
		return errors.New("there is no work to take")
	}
	if ready != nil {
		if err := ready(); err != nil {
			return err
		}
	}
	<-ctx.Done()
	a.world.Telemetry.Log.Info("worker stopping")
	return nil
}

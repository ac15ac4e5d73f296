package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/seal"
)

// CheckWorker refuses what would let a worker start and then fail jobs, or lose
// what they keep. It is asked before anything is opened, because opening makes
// a root key where there is none.
//
// Everything that is missing is named at once, with the setting that gives it.
func (c Config) CheckWorker() error {
	var missing []error
	if c.Database.URL == "" {
		missing = append(missing, errors.New("database.url (--database): the database of the servers, whose jobs it takes"))
	}
	if c.BaseURL == "" {
		missing = append(missing, errors.New(
			"base_url (STOA_BASE_URL): the address of the servers, because a worker has no address of its own"))
	}
	if c.Blob.Store != blob.KindS3 {
		missing = append(missing, fmt.Errorf(
			"blob.store (STOA_BLOB_STORE): s3 with the bucket of the servers, where they read what jobs keep; blob.store is %s",
			c.Blob.Store))
	}
	key := c.RootKey
	if key == "" {
		key = filepath.Join(c.Data, seal.KeyFile)
	}
	if _, err := os.Stat(key); err != nil {
		missing = append(missing, fmt.Errorf(
			"root_key (STOA_ROOT_KEY): a copy of the servers' root.key, which opens the secrets of projects: %w", err))
	}
	if err := errors.Join(missing...); err != nil {
		return module.Fail(module.Config, "set these as the servers have them", "a worker shares with the servers:\n%w", err)
	}
	return nil
}

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
	a.world.Telemetry.Log.Info("stopping")
	return nil
}

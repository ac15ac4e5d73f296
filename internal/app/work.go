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
)

// CheckWorker refuses what would let a worker start and then fail jobs, or lose
// what they keep. It is asked before anything is opened, because opening makes
// a root key where there is none.
func (c Config) CheckWorker() error {
	if c.BaseURL == "" {
		return module.Fail(module.Config, "set base_url (STOA_BASE_URL) to the address of the servers",
			"a worker has no address of its own, and jobs are told where they can be seen")
	}
	if c.Blob.Store != blob.KindS3 {
		return module.Fail(module.Config, "set blob.store (STOA_BLOB_STORE) to s3, with the bucket of the servers",
			"a worker keeps artifacts and caches where the servers can read them, and blob.store is %s", c.Blob.Store)
	}
	key := c.RootKey
	if key == "" {
		key = filepath.Join(c.Data, "root.key")
	}
	if _, err := os.Stat(key); err != nil {
		return module.Fail(module.Config, "set root_key (STOA_ROOT_KEY) to a copy of the servers' root.key",
			"a worker opens the secrets of projects with the root key of the servers: %w", err)
	}
	return nil
}

// Work takes work from the shared database until the context ends, and serves
// nobody. ready is called once work is being taken.
func (a *App) Work(ctx context.Context, ready func() error) error {
	if a.Engine() != database.Postgres {
		return module.Fail(module.Config, "name the servers' database with --database; a server on SQLite does its own work",
			"a worker needs the PostgreSQL database that it shares with the servers")
	}
	if err := a.config.CheckWorker(); err != nil {
		return err
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

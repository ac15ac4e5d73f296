package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"

	"stoa.dev/stoa/internal/app/memlimit"
	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/authority"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/telemetry/traces"
	"stoa.dev/stoa/internal/platform/world"
)

const quietLevel = slog.LevelWarn

// openWorld opens the data folder and what services stand on.
func (a *App) openWorld(ctx context.Context) error {
	t, err := a.newTelemetry()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	a.onClose(func() error { return t.Close(context.Background()) })
	d, err := dialect.Load(a.config.Dialect)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	memory := a.options.Memory
	if memory == nil {
		memory = budget.New(budget.MemoryOptions(memlimit.Find().Bytes))
	}
	a.world, err = world.Open(ctx, world.Options{
		Dir: a.config.Data, RootKey: a.config.RootKey, ProofSalt: a.options.ProofSalt,
		Database: a.config.Database, Blob: a.config.Blob, Deliver: a.config.Deliver, Audit: a.config.Audit,
		Offline:  a.config.Offline,
		JobLease: a.config.JobLease, Command: a.options.Command,
		NoSync: a.options.NoSync, MoreTime: a.options.MoreTime, AroundStore: a.options.AroundStore,
		URL: a.URL, Clock: a.options.Clock, IDs: a.options.IDs,
		Dialect: d, Telemetry: t, Memory: memory, FaultRules: a.options.FaultRules, Journal: a.journal(),
	})
	if errors.Is(err, world.ErrOtherDatabase) {
		return module.Fail(module.Config, "name the database of the servers with --database (database.url)", "%w", err)
	}
	if errors.Is(err, world.ErrNoDatabase) {
		return module.Fail(module.Failed, "restore a backup (stoa restore) into a new folder, or begin anew in one",
			"%w", err)
	}
	if err != nil {
		return a.databaseError(err)
	}
	a.onClose(a.world.Close)
	return nil
}

// databaseError adds the next step.
func (a *App) databaseError(err error) error {
	if errors.Is(err, database.ErrUnavailable) {
		return module.Fail(module.Failed, a.databaseAdvice(), "%w", err)
	}
	return err
}

// databaseAdvice is the next step where the database cannot be opened.
func (a *App) databaseAdvice() string {
	if a.config.Database.URL == "" {
		return "restore stoa.db from a backup, or choose another folder with --data"
	}
	return "check --database (database.url), and that PostgreSQL 15 or newer answers there"
}

func (a *App) newTelemetry() (*telemetry.Telemetry, error) {
	level := a.config.Log.level()
	if a.options.Quiet {
		level = max(level, quietLevel)
	}
	tracer, err := traces.Open(traces.Options{Endpoint: a.config.Log.OTLP, Version: a.options.Version})
	if err != nil {
		return nil, err
	}
	t, err := telemetry.New(telemetry.Options{
		Log: a.options.LogTo, Format: telemetry.Format(a.config.Log.Format), Level: level, Clock: a.options.Clock,
		Tracer: tracer,
	})
	if err != nil {
		return nil, err
	}
	t.Samples("stoa_build_info", "The version that runs; always one.", []string{"version", "go"},
		func() []telemetry.Sample {
			return []telemetry.Sample{{Labels: []string{a.options.Version, runtime.Version()}, Value: 1}}
		})
	return t, nil
}

// openAuthority prepares the local authority when HTTPS needs it.
func (a *App) openAuthority() error {
	notice, err := a.server.OpenAuthority(authority.Options{
		Dir: a.config.Data, Box: a.world.Seal, Clock: a.world.Clock, IDs: a.world.IDs,
	})
	if notice != "" {
		a.world.Telemetry.Log.Warn(notice)
	}
	return err
}

// migrate brings every table up to date, the platform's first.
func (a *App) migrate(ctx context.Context) error {
	sets := append(world.Migrations(), identity.Migrations())
	for _, m := range a.modules {
		if m.Migrations.Files != nil {
			sets = append(sets, m.Migrations)
		}
	}
	return a.world.DB.Migrate(ctx, append(sets, console.Migrations())...)
}

// checkKey refuses a root key that is not the one of the processes that share
// the database: it could not open what they sealed, nor they what it seals.
func (a *App) checkKey(ctx context.Context) error {
	err := a.world.CheckKey(ctx)
	if errors.Is(err, world.ErrForeignKey) {
		return module.Fail(module.Config, "set root_key (STOA_ROOT_KEY) to the path of a copy of the first server's root.key",
			"%w", err)
	}
	return err
}

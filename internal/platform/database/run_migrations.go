package database

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/platform/database/migration"
)

// Migrations is the schema history of one module.
type Migrations = migration.Set

// Embedded is the set that a module embeds as its folder named migrations.
func Embedded(module string, files embed.FS) Migrations { return migration.Embedded(module, files) }

// Migrate brings the schema of every set up to date, in the given order, one
// process at a time, each migration in a transaction of its own. All sets are
// compared with what the database has before the first change, so a refusal
// changes nothing.
func (d *DB) Migrate(ctx context.Context, sets ...Migrations) error {
	plans := make([]plan, len(sets))
	for i, set := range sets {
		steps, err := set.Load(string(d.engine))
		if err != nil {
			return err
		}
		plans[i] = plan{module: set.Module, steps: steps}
	}
	return d.back.migrating(ctx, func(apply applyFunc) error {
		var due []plan
		// What is refused is refused before anything is changed.
		err := apply(ctx, func(tx *Tx) (err error) {
			due, err = unfinished(ctx, tx, plans)
			return err
		})
		for _, p := range due {
			for _, step := range p.steps {
				if err == nil {
					err = apply(ctx, func(tx *Tx) error { return d.apply(ctx, tx, p.module, step) })
				}
			}
		}
		return err
	})
}

// unfinished are the plans with the steps that the database has not.
func unfinished(ctx context.Context, tx *Tx, plans []plan) (due []plan, err error) {
	if err := createHistory(ctx, tx); err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	applied, err := history(ctx, tx)
	for _, p := range plans {
		var rest []migration.Step
		if err == nil {
			rest, err = p.after(applied[p.module])
		}
		if len(rest) > 0 {
			due = append(due, plan{p.module, rest})
		}
	}
	return due, err
}

// history is what was applied of each module.
func history(ctx context.Context, tx *Tx) (map[string][]migration.Step, error) {
	applied := map[string][]migration.Step{}
	_, err := All(ctx, tx, func(row Scanner) (s migration.Step, err error) {
		var module string
		err = row.Scan(&module, &s.Version, &s.Name, &s.Checksum)
		applied[module] = append(applied[module], s)
		return s, err
	}, `SELECT module, version, name, checksum FROM stoa_migrations ORDER BY module, version`)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	return applied, nil
}

// plan is the migrations of one module that this program knows.
type plan struct {
	module string
	steps  []migration.Step
}

func createHistory(ctx context.Context, tx *Tx) error {
	_, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS stoa_migrations (
		module TEXT NOT NULL,
		version BIGINT NOT NULL,
		name TEXT NOT NULL,
		checksum TEXT NOT NULL,
		applied_at TEXT NOT NULL,
		PRIMARY KEY (module, version))`)
	return err
}

func (d *DB) apply(ctx context.Context, tx *Tx, module string, s migration.Step) error {
	if err := tx.script(ctx, s.Text); err != nil {
		return fmt.Errorf("migrate %s %s: %w", module, s, err)
	}
	_, err := tx.Exec(ctx, `INSERT INTO stoa_migrations (module, version, name, checksum, applied_at)
		VALUES ($1, $2, $3, $4, $5)`, module, s.Version, s.Name, s.Checksum, Time(d.opts.Clock.Now()))
	if err != nil {
		return fmt.Errorf("migrate %s %s: %w", module, s, err)
	}
	return nil
}

// after is what follows the steps that were applied.
func (p plan) after(applied []migration.Step) ([]migration.Step, error) {
	rest, err := migration.Rest(p.module, p.steps, applied)
	if errors.Is(err, migration.ErrNewer) {
		err = &Error{Kind: ErrNewer, cause: err}
	}
	return rest, err
}

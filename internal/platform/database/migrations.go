package database

import (
	"context"
	"embed"
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
		if err := apply(ctx, func(tx *Tx) error { return createHistory(ctx, tx) }); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		// What is refused is refused before anything is changed.
		err := apply(ctx, func(tx *Tx) error {
			for _, p := range plans {
				if _, err := p.missing(ctx, tx); err != nil {
					return err
				}
			}
			return nil
		})
		for _, p := range plans {
			if err == nil {
				err = d.advance(ctx, apply, p)
			}
		}
		return err
	})
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

// advance applies the missing steps of one module, each in its own transaction.
func (d *DB) advance(ctx context.Context, apply applyFunc, p plan) error {
	for more := true; more; {
		err := apply(ctx, func(tx *Tx) error {
			missing, err := p.missing(ctx, tx)
			if more = len(missing) > 0; err != nil || !more {
				return err
			}
			return d.apply(ctx, tx, p.module, missing[0])
		})
		if err != nil {
			return err
		}
	}
	return nil
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

// missing compares the plan with the database and returns what is to be
// applied. It refuses a database this program does not understand.
func (p plan) missing(ctx context.Context, tx *Tx) ([]migration.Step, error) {
	applied, err := All(ctx, tx, scanStep, `SELECT version, name, checksum
		FROM stoa_migrations WHERE module = $1 ORDER BY version`, p.module)
	if err != nil {
		return nil, fmt.Errorf("migrate %s: %w", p.module, err)
	}
	for i, was := range applied {
		if i >= len(p.steps) {
			last := applied[len(applied)-1]
			return nil, &Error{Kind: ErrNewer, cause: fmt.Errorf(
				"module %s is at migration %s, this program knows %d; "+
					"start the version that wrote it or restore a backup made before the upgrade",
				p.module, last, len(p.steps))}
		}
		known := p.steps[i]
		if was.Version != known.Version || was.Checksum != known.Checksum {
			return nil, fmt.Errorf(
				"this database was made by another version: migration %s of %s was applied in another form "+
					"(checksum %.12s, this program has %s with %.12s); "+
					"start that version, or begin with an empty folder or database",
				was, p.module, was.Checksum, known, known.Checksum)
		}
	}
	return p.steps[len(applied):], nil
}

func scanStep(row Scanner) (migration.Step, error) {
	var s migration.Step
	err := row.Scan(&s.Version, &s.Name, &s.Checksum)
	return s, err
}

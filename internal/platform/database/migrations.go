package database

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
)

// Migrations is the schema history of one module: numbered files
// NNNN_name.sql, from 0001 without gaps, never edited after release. Where the
// dialects differ, NNNN_name.postgres.sql or NNNN_name.sqlite.sql beside it is
// used instead on that engine.
//
// These macros are expanded in them:
//
//	{{text}}    text that sorts by its bytes on both engines
//	{{blob}}    bytes
//	{{bool}}    a boolean
//	{{serial}}  a whole number the database counts up, with its PRIMARY KEY
type Migrations struct {
	Module string
	Files  fs.FS
}

// Embedded is the set that a module embeds as its folder named migrations.
func Embedded(module string, files embed.FS) Migrations {
	sub, err := fs.Sub(files, "migrations")
	if err != nil {
		panic(err) // the name is a constant and a valid one
	}
	return Migrations{Module: module, Files: sub}
}

// Migrate brings the schema of every set up to date, in the given order, one
// process at a time, each migration in a transaction of its own. All sets are
// compared with what the database has before the first change, so a refusal
// changes nothing.
func (d *DB) Migrate(ctx context.Context, sets ...Migrations) error {
	plans := make([]plan, len(sets))
	for i, set := range sets {
		steps, err := set.load(d.engine)
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
	steps  []step
}

// step is one migration.
type step struct {
	version  int
	name     string
	text     string // macros expanded
	checksum string // of the file, macros not expanded
}

func (s step) String() string { return fmt.Sprintf("%04d_%s", s.version, s.name) }

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

func (d *DB) apply(ctx context.Context, tx *Tx, module string, s step) error {
	if err := tx.script(ctx, s.text); err != nil {
		return fmt.Errorf("migrate %s %s: %w", module, s, err)
	}
	_, err := tx.Exec(ctx, `INSERT INTO stoa_migrations (module, version, name, checksum, applied_at)
		VALUES ($1, $2, $3, $4, $5)`, module, s.version, s.name, s.checksum, Time(d.opts.Clock.Now()))
	if err != nil {
		return fmt.Errorf("migrate %s %s: %w", module, s, err)
	}
	return nil
}

// missing compares the plan with the database and returns what is to be
// applied. It refuses a database this program does not understand.
func (p plan) missing(ctx context.Context, tx *Tx) ([]step, error) {
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
		if was.version != known.version || was.checksum != known.checksum {
			return nil, fmt.Errorf(
				"this database was made by another version: migration %s of %s was applied in another form "+
					"(checksum %.12s, this program has %s with %.12s); "+
					"start that version, or begin with an empty folder or database",
				was, p.module, was.checksum, known, known.checksum)
		}
	}
	return p.steps[len(applied):], nil
}

func scanStep(row Scanner) (step, error) {
	var s step
	err := row.Scan(&s.version, &s.name, &s.checksum)
	return s, err
}

// Checksum identifies a list of migration sets on an engine. Test databases
// that share it share their template.
func Checksum(e Engine, sets ...Migrations) (string, error) {
	h := sha256.New()
	for _, set := range sets {
		steps, err := set.load(e)
		if err != nil {
			return "", err
		}
		for _, s := range steps {
			fmt.Fprintf(h, "%s %s %s\n%s\n", set.Module, s, s.checksum, s.text)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

var errNoModule = errors.New("migrate: a set of migrations has no module name")

package integrity

import (
	"context"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
)

const restoreAdvice = "stop the server and restore a backup (stoa restore) into a new folder or database"

// verifyDatabase reads all of the database, and looks for references to nothing.
func verifyDatabase(db *database.DB) module.Verify {
	return func(ctx context.Context, report func(module.Damage)) (looked int, err error) {
		damaged := func(what, detail string) {
			report(module.Damage{What: what, Detail: detail, Advice: restoreAdvice})
		}
		if db.Engine() == database.Postgres {
			return verifyPostgres(ctx, db, damaged)
		}
		err = db.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
			looked, err = verifySQLite(ctx, tx, damaged)
			return err
		})
		if err != nil && !isUnavailable(ctx, err) {
			damaged(database.FileName, err.Error()) // a page that cannot be read ends the reading
			err = nil
		}
		return looked, err
	}
}

func scanText(s database.Scanner) (text string, err error) {
	err = s.Scan(&text)
	return text, err
}

func verifySQLite(ctx context.Context, tx *database.Tx, damaged func(what, detail string)) (int, error) {
	lines, err := database.All(ctx, tx, scanText, fmt.Sprintf(`PRAGMA integrity_check(%d)`, maxDamages))
	if err != nil {
		return 0, err
	}
	for _, line := range lines {
		if line != "ok" {
			damaged(database.FileName, line)
		}
	}
	broken, err := database.All(ctx, tx, scanText, `SELECT "table" || ': a row refers to ' || parent || ', which has no such row'
		FROM pragma_foreign_key_check LIMIT 100`)
	if err != nil {
		return 0, err
	}
	for _, line := range broken {
		damaged(database.FileName, line)
	}
	tables, err := database.All(ctx, tx, scanText, `SELECT name FROM sqlite_schema WHERE type = 'table'`)
	return len(tables), err
}

// verifyPostgres reads every row of every table, which finds pages whose checksums are
// wrong and values that are cut off, and asks for indexes and constraints that were never
// finished.
func verifyPostgres(ctx context.Context, db *database.DB, damaged func(what, detail string)) (int, error) {
	bad, err := database.All(ctx, db, scanText, `
		SELECT 'index ' || indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
			WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid
		UNION ALL SELECT 'constraint ' || conname FROM pg_constraint
			WHERE connamespace = current_schema()::regnamespace AND NOT convalidated`)
	if err != nil {
		return 0, err
	}
	for _, name := range bad {
		damaged(name, "it was not finished: build it again (REINDEX, VALIDATE CONSTRAINT)")
	}
	tables, err := database.All(ctx, db, scanText, `SELECT format('%I', relname) FROM pg_class
		WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname`)
	if err != nil {
		return 0, err
	}
	for _, table := range tables {
		err := db.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
			var rows int64
			return tx.QueryRow(ctx, `SELECT COUNT(md5(t::text)) FROM `+table+` t`).Scan(&rows)
		})
		if err != nil && isUnavailable(ctx, err) {
			return 0, fmt.Errorf("table %s: %w", table, err)
		}
		if err != nil {
			damaged("table "+table, err.Error())
		}
	}
	return len(tables), nil
}

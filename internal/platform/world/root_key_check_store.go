package world

import (
	"context"
	"crypto/subtle"
	"embed"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
)

//go:embed migrations/*.sql
var files embed.FS

// ErrForeignKey means that the database was made under another root key.
var ErrForeignKey = errors.New("the root key is not the one this database was made with")

// CheckKey compares the root key with the one that the database was first
// opened with, and leaves its check value there the first time. The data folder
// has a check of its own, but processes that share a database have a folder
// each. It runs after migrations and before anything is sealed.
func (w *World) CheckKey(ctx context.Context) error {
	kept, err := keyCheck(ctx, w.DB)
	if errors.Is(err, database.ErrNotFound) {
		err = w.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			if err := insertKeyCheck(ctx, tx, w.Seal.Check()); err != nil {
				return err
			}
			// Another process may have been first.
			kept, err = keyCheck(ctx, tx)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("root key: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(kept), []byte(w.Seal.Check())) != 1 {
		return errors.Join(ErrForeignKey, w.Seal.Withdraw())
	}
	return nil
}

// CompareKey is CheckKey without leaving anything.
func (w *World) CompareKey(ctx context.Context) error {
	kept, err := keyCheck(ctx, w.DB)
	if err != nil {
		return fmt.Errorf("root key: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(kept), []byte(w.Seal.Check())) != 1 {
		return ErrForeignKey
	}
	return nil
}

func keyCheck(ctx context.Context, q database.Querier) (value string, err error) {
	err = q.QueryRow(ctx, `SELECT check_value FROM world_key WHERE id = 1`).Scan(&value)
	return value, err
}

func insertKeyCheck(ctx context.Context, tx *database.Tx, value string) error {
	_, err := tx.Exec(ctx, `INSERT INTO world_key (id, check_value) VALUES (1, $1) ON CONFLICT (id) DO NOTHING`, value)
	return err
}

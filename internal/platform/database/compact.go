package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Compact writes the SQLite database of a data folder, which nothing has open,
// anew as one file: what its log holds is part of it, and nothing that was
// deleted. The same rows give the same bytes.
func Compact(ctx context.Context, dir string) (err error) {
	path := filepath.Join(dir, fileName)
	compact := path + ".compact"
	if err := vacuumInto(ctx, path, compact); err != nil {
		return fmt.Errorf("compact %s: %w", path, translateSQLite(err))
	}
	if err := os.Chmod(compact, 0o600); err != nil {
		return err
	}
	for _, beside := range []string{path + "-wal", path + "-shm"} {
		if err := os.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(compact, path)
}

func vacuumInto(ctx context.Context, from, to string) (err error) {
	db, err := openPool(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, to)
	return err
}

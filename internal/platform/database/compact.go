package database

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Compact rewrites the SQLite file of a data folder that no process has open, so
// that the same rows make the same bytes and no log stands beside it.
func Compact(ctx context.Context, dir string) (err error) {
	path, err := sqlitePath(Options{Dir: dir})
	if err != nil {
		return err
	}
	fresh := path + ".compact"
	pool, err := openPool(path)
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, `VACUUM INTO ?`, fresh)
	if err = errors.Join(translateSQLite(err), pool.Close()); err != nil {
		return errors.Join(fmt.Errorf("compact %s: %w", path, err), os.Remove(fresh))
	}
	for _, beside := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + beside); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return errors.Join(os.Chmod(fresh, 0o600), os.Rename(fresh, path))
}

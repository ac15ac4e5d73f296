package compact

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"modernc.org/sqlite"

	"stoa.dev/stoa/internal/platform/database"
)

// Folder writes the database of a data folder anew: what its log holds is part
// of it, and nothing that was deleted. The same rows give the same bytes.
func Folder(ctx context.Context, dir string) error {
	path := filepath.Join(dir, database.FileName)
	made := path + ".compact"
	if err := vacuumInto(ctx, path, made); err != nil {
		return fmt.Errorf("compact %s: %w", path, err)
	}
	if err := os.Chmod(made, 0o600); err != nil {
		return err
	}
	for _, beside := range []string{path + "-wal", path + "-shm"} {
		if err := os.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(made, path)
}

func vacuumInto(ctx context.Context, from, to string) (err error) {
	connector, err := sqlite.NewConnector(from)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, to)
	return err
}

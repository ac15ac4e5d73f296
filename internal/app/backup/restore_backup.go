package backup

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/dump"
	"stoa.dev/stoa/internal/platform/durable"
	"stoa.dev/stoa/internal/platform/module"
)

// PartFolder is in a data folder while a backup is restored into it.
const PartFolder = "restore.part"

// Files makes the data folder of a backup, which must not be there, or be empty. One that is
// there may be a mounted volume, which can be neither replaced nor given a neighbour: it is
// filled in place.
func Files(ctx context.Context, dir, data string, m Manifest) error {
	left, err := os.ReadDir(data)
	there := err == nil
	left = slices.DeleteFunc(left, func(e fs.DirEntry) bool { return e.Name() == "lost+found" }) // of the file system
	switch {
	case there && len(left) > 0:
		return module.Fail(module.Conflict, "name a new folder with --data", "%s is not empty", data)
	case !there && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	part := strings.TrimRight(data, "/") + ".part"
	if there {
		part = filepath.Join(data, PartFolder)
	}
	if err := os.Mkdir(part, 0o700); errors.Is(err, fs.ErrExist) {
		return module.Fail(module.Conflict, "remove it if nothing else is being restored", "%w", err)
	} else if err != nil {
		return module.Fail(module.Failed, "make the data folder yourself, empty, and restore again", "%w", err)
	}
	if err := copyFiles(ctx, dir, part, m); err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	if there {
		return moveUp(part, data)
	}
	if err := os.Rename(part, data); err != nil {
		return err
	}
	return durable.SyncFolder(filepath.Dir(part))
}

// moveUp moves what is in part to the folder that it is in. Until part is gone the folder
// says that it is not whole.
func moveUp(part, data string) error {
	entries, err := os.ReadDir(part)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(part, e.Name()), filepath.Join(data, e.Name())); err != nil {
			return err
		}
	}
	if err := durable.SyncFolder(data); err != nil {
		return err
	}
	if err := os.Remove(part); err != nil {
		return err
	}
	return durable.SyncFolder(data)
}

// copyFiles copies the data folder of a backup.
func copyFiles(ctx context.Context, dir, part string, m Manifest) error {
	if err := makeFolders(filepath.Join(dir, dataDir), part); err != nil {
		return err
	}
	c := &copier{to: part, files: map[string]File{}}
	for _, f := range m.Files {
		name, ours := strings.CutPrefix(f.Name, dataDir+"/")
		if !ours {
			continue
		}
		if err := errors.Join(ctx.Err(), c.copyFile(filepath.Join(dir, filepath.FromSlash(f.Name)), name)); err != nil {
			return err
		}
	}
	return nil
}

// makeFolders makes the folders of a backup, those without files too: git needs them.
func makeFolders(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return os.MkdirAll(filepath.Join(to, name), 0o700)
	})
}

// Rows loads the rows of a backup into a database that has its tables and no users.
func Rows(ctx context.Context, db *database.DB, dir string, m Manifest) error {
	have, err := dump.Migrations(ctx, db)
	if err != nil {
		return err
	}
	if !slices.Equal(have, m.Migrations) {
		return module.Fail(module.Failed, "restore with version "+m.Version+", then start this one",
			"the tables are not those of the version that made the backup")
	}
	var users int64
	if err := db.QueryRow(ctx, `SELECT COUNT(*) FROM identity_users`).Scan(&users); err != nil {
		return err
	}
	if users > 0 {
		return module.Fail(module.Conflict, "name an empty database", "the database is in use: it has users (%d)", users)
	}
	return dump.Load(ctx, db, dump.Contents{
		Tables: m.Tables, Sequences: m.Sequences,
		Open: func(table string) (io.ReadCloser, error) { return os.Open(filepath.Join(dir, rowsDir, table)) },
	})
}

// RestoreLine is the command that brings a downloaded backup back, from the folder that
// the console's page unpacks it in.
func RestoreLine(databaseURL string) string {
	line := "stoa restore backup --data /path/to/new-data"
	if databaseURL != "" {
		line += " --database postgres://..."
	}
	return line
}

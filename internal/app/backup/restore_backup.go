package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/dump"
	"stoa.dev/stoa/internal/platform/module"
)

// Read reads a backup's manifest and compares every file with it.
func Read(ctx context.Context, dir string) (m Manifest, err error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return m, module.Fail(module.NotFound, "name the folder that stoa backup made", "%w", err)
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Format != format {
		return m, module.Fail(module.Failed, "use the version that made it", "%s is no manifest of format %d",
			manifestName, format)
	}
	for _, f := range m.Files {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return m, module.Fail(module.Failed, "use another backup", "the manifest names %q", f.Name)
		}
		if err := compare(filepath.Join(dir, filepath.FromSlash(f.Name)), f); err != nil {
			return m, module.Fail(module.Failed, "use another backup: this one is damaged", "%w", err)
		}
	}
	return m, nil
}

func compare(path string, want File) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, in)
	if err = errors.Join(err, in.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(hash.Sum(nil)) != want.SHA256 {
		return fmt.Errorf("%s is not what was written", want.Name)
	}
	return nil
}

// Files makes the data folder of a backup, which must not be there, or be empty.
func Files(ctx context.Context, dir, data string, m Manifest) error {
	if left, err := os.ReadDir(data); err == nil && len(left) > 0 {
		return module.Fail(module.Conflict, "name a new folder with --data", "%s is not empty", data)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	part := strings.TrimRight(data, "/") + ".part"
	if err := os.Mkdir(part, 0o700); err != nil {
		return module.Fail(module.Conflict, "remove it if nothing else is being restored", "%w", err)
	}
	if err := makeFolders(filepath.Join(dir, dataDir), part); err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	c := &copier{to: part, files: map[string]File{}}
	for _, f := range m.Files {
		name, ours := strings.CutPrefix(f.Name, dataDir+"/")
		if !ours {
			continue
		}
		if err := errors.Join(ctx.Err(), c.copyFile(filepath.Join(dir, filepath.FromSlash(f.Name)), name)); err != nil {
			return errors.Join(err, os.RemoveAll(part))
		}
	}
	if err := os.Remove(data); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(os.Rename(part, data), syncFolder(filepath.Dir(part)))
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

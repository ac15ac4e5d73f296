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
	"strings"
	"syscall"

	"stoa.dev/stoa/internal/platform/module"
)

// Read reads a backup's manifest and compares every file with it.
func Read(ctx context.Context, dir string) (m Manifest, err error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return m, asNoBackup(dir, err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, module.Fail(module.Failed, "use another backup", "%s is damaged: %w", manifestName, err)
	}
	if m.Format != format {
		return m, module.Fail(module.Failed, strings.TrimSpace("restore with the version that made it: "+m.Version),
			"the backup has format %d, and this version reads %d", m.Format, format)
	}
	for _, f := range m.Files {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		// A local path is not enough: data/../x is none of the data folder.
		if !fs.ValidPath(f.Name) || !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return m, module.Fail(module.Failed, "use another backup", "the manifest names %q", f.Name)
		}
		if err := compare(filepath.Join(dir, filepath.FromSlash(f.Name)), f); err != nil {
			return m, asDamaged(dir, f.Name, err)
		}
	}
	return m, nil
}

func compare(path string, want File) error {
	// A link, a pipe or a device is no copy of a file, and may never end.
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a plain file", want.Name)
	}
	if err != nil {
		return err
	}
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

// asNoBackup says what is at the place that a backup was looked for.
func asNoBackup(dir string, err error) error {
	const name = "name the folder that the backup was written to"
	info, statErr := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unreadable(err)
	case errors.Is(statErr, fs.ErrNotExist):
		return module.Fail(module.NotFound, name, "there is no folder %s", dir)
	case statErr == nil && !info.IsDir(), errors.Is(err, syscall.ENOTDIR):
		return module.Fail(module.NotFound,
			"if it is one that the console made, unpack it: mkdir backup && tar -xf "+dir+" -C backup, and name that folder",
			"%s is a file, and a backup is a folder", dir)
	case errors.Is(err, fs.ErrNotExist):
		return module.Fail(module.NotFound, name, "%s is not a backup: it has no %s", dir, manifestName)
	}
	return err
}

// asDamaged says what is wrong with a file of a backup.
func asDamaged(dir, name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unreadable(err)
	case errors.Is(err, fs.ErrNotExist):
		return module.Fail(module.Failed, "put it back if it is kept apart, or use another backup",
			"%s lacks %s, which %s lists", dir, name, manifestName)
	}
	return module.Fail(module.Failed, "use another backup: this one is damaged", "%w", err)
}

func unreadable(err error) error {
	return module.Fail(module.Failed, "see that you may read the backup, or run the command as its owner", "%w", err)
}

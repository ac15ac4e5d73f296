package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"stoa.dev/stoa/internal/platform/registry"
)

// local is a feed in a folder.
type local struct{ folder string }

// ecosystems are the folders that are there: a mirror need not have them all.
func (l local) ecosystems(context.Context) ([]string, error) {
	entries, err := os.ReadDir(l.folder)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, e.Name())
		}
	}
	return list, nil
}

// open opens a file below the folder, and none that a link leads out to.
func (l local) open(path string) (*os.File, error) {
	root, err := os.OpenRoot(l.folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // what it opened stays open
	f, err := root.Open(filepath.FromSlash(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, registry.ErrNotFound
	}
	return f, err
}

func (l local) read(_ context.Context, path string, most int64) ([]byte, error) {
	f, err := l.open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = registry.ErrTooLarge
	}
	return text, err
}

// archive tells an archive that changed by its size and its time.
func (l local) archive(_ context.Context, path, state string, to Writer) (string, error) {
	f, err := l.open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	now := fmt.Sprintf("%d %s", info.Size(), info.ModTime().UTC().Format("2006-01-02T15:04:05.000000000Z"))
	if now == state {
		return "", registry.ErrNotModified
	}
	_, err = io.Copy(io.NewOffsetWriter(to, 0), io.LimitReader(f, maxArchive))
	return now, err
}

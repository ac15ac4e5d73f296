package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a file in one step: a crash leaves the old one or the new one. One process at a
// time replaces it.
func Replace(name string, data []byte, mode fs.FileMode) error {
	temporary := name + ".new"
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary, name); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(name))
}

// SyncFolder makes the entries of a folder durable: files that were made, renamed or removed.
func SyncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

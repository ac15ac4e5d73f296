package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Remove deletes a work folder with everything a program left in it, folders
// that it made unreadable included. Links are removed, never followed.
func Remove(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("sandbox: removing a work folder: %w", err)
	}
	open(root, ".")
	_ = root.Close() // opened for looking only
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("sandbox: removing a work folder: %w", err)
	}
	return nil
}

// open makes every folder below name writable for us again. What it cannot
// change, RemoveAll will name.
func open(root *os.Root, name string) {
	_ = root.Chmod(name, 0o700)
	f, err := root.Open(name)
	if err != nil {
		return
	}
	entries, _ := f.ReadDir(-1)
	_ = f.Close()
	for _, e := range entries {
		if e.Type()&fs.ModeDir != 0 {
			open(root, filepath.Join(name, e.Name()))
		}
	}
}

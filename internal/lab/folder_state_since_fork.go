package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// fileState tells one state of the data folder from another: what was committed to the
// database since the app was opened, and each other file's size and time. It is empty
// while the app is closed, when nothing is counted. Nothing is written meanwhile.
func (w *World) fileState() (string, error) {
	w.mu.Lock()
	a := w.app
	w.mu.Unlock()
	if a == nil {
		return "", nil
	}
	var state strings.Builder
	fmt.Fprintln(&state, a.World().DB.Stats().Commits)
	from := w.folder()
	err := filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && p != from {
			return nil // a temporary file that its owner removed meanwhile
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		if name = filepath.ToSlash(name); leftOut(name, d) || inDatabase(name) {
			return nil
		}
		return addFileState(&state, name, d)
	})
	return state.String(), err
}

func addFileState(state *strings.Builder, name string, d fs.DirEntry) error {
	if d.IsDir() {
		fmt.Fprintln(state, name)
		return nil
	}
	info, err := d.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	fmt.Fprintln(state, name, info.Size(), info.ModTime().UnixNano())
	return nil
}

package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// forkBase is the base of a world's last fork. Tests fork one world that they prepared
// again and again: as long as it does not change, their worlds are created of one base.
type forkBase struct {
	base string // empty for none
	// state is what the files were when the base was made.
	state string
}

// forkOrigin finds or makes the base of a fork, which is held for the caller.
func (w *World) forkOrigin(ctx context.Context) (origin, error) {
	w.op.Lock()
	defer w.op.Unlock()
	return w.withWritesPaused(ctx, func(o *origin, without []string) error {
		state, err := w.fileState()
		if err != nil {
			return err
		}
		if w.forked.base != "" && w.forked.state == state {
			o.base, o.again = w.forked.base, true
			w.lab.bases.retain(o.base)
			return nil
		}
		if err := w.dropForkBase(); err != nil {
			return err
		}
		return w.copyForkBase(o, state, without)
	})
}

// copyForkBase makes a base and, at the same time, the copy that the fork begins with.
func (w *World) copyForkBase(o *origin, state string, without []string) error {
	ready, err := w.lab.ready.folder()
	if err != nil {
		return err
	}
	if o.base, err = w.addBase([]string{ready}, without); err != nil {
		return errors.Join(err, os.RemoveAll(filepath.Dir(ready)))
	}
	w.lab.ready.add(o.base, ready)
	if state != "" {
		w.lab.bases.retain(o.base)
		w.forked = forkBase{base: o.base, state: state}
	}
	return nil
}

// dropForkBase lets go of the base of the last fork. The caller holds op.
func (w *World) dropForkBase() error {
	base := w.forked.base
	w.forked = forkBase{}
	if base == "" {
		return nil
	}
	return w.lab.bases.release(base)
}

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

package execute

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"stoa.dev/stoa/internal/platform/sandbox"
)

// prefix begins the name of every work folder.
const prefix = "job-"

// Open removes what killed servers left behind, ours and those of folders that
// may be gone. The programs of such a server died with it; the few that did not
// are ended here. Work folders of a server that lives are locked and left alone.
// It is called once, before the first Run.
func (e *Executor) Open(context.Context) error {
	var failed []error
	for _, root := range append([]string{e.dir}, e.sandbox.WorkRoots()...) {
		entries, err := os.ReadDir(root)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("execute: looking for left-over work folders: %w", err))
		}
		for _, entry := range entries {
			if entry.IsDir() && strings.HasPrefix(entry.Name(), prefix) {
				failed = append(failed, e.sweep(filepath.Join(root, entry.Name())))
			}
		}
		e.leave(root)
	}
	return errors.Join(failed...)
}

// Close removes places outside of data folders that are empty. It is called after the
// last Run.
func (e *Executor) Close() error {
	for _, root := range e.sandbox.WorkRoots() {
		e.leave(root)
	}
	return nil
}

// sweep removes one left-over folder, unless a process holds it.
func (e *Executor) sweep(dir string) error {
	held, err := lock(dir)
	if errors.Is(err, errLocked) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("execute: locking a left-over work folder: %w", err)
	}
	defer held.Close()
	e.sandbox.End(filepath.Join(dir, "home"))
	return sandbox.Remove(dir)
}

// leave removes a work root outside of our folder when nothing is in it.
func (e *Executor) leave(root string) {
	if root != e.dir {
		_ = os.Remove(root) // what is in use stays
	}
}

// enter makes a work folder and locks it. Another run may just have removed the
// empty work root around it, or another server's Open the folder before it was
// locked; then it is made again.
func (e *Executor) enter() (dir string, held *os.File, err error) {
	for range 10 {
		var root string
		if root, err = e.sandbox.WorkRoot(e.dir); err != nil {
			return "", nil, err
		}
		if dir, err = os.MkdirTemp(root, prefix); err == nil {
			if held, err = lock(dir); err == nil {
				if _, err = os.Lstat(dir); err == nil {
					return dir, held, nil
				}
				_ = held.Close() // opened for its lock only
			}
		}
	}
	return "", nil, fmt.Errorf("execute: no work folder: %w", err)
}

package tree

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Remove deletes a folder with everything a program left in it, folders
// that it made unreadable included. Links are removed, never followed.
//
// Folders are moved up before they are emptied: then no depth costs more than
// another, in time or in descriptors.
func Remove(dir string) error {
	top, err := openFolder(unix.AT_FDCWD, dir)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sandbox: removing a work folder: opening it: %w", err)
	}
	r := &remover{top: int(top.Fd())}
	err = r.empty(top, r.inTop)
	_ = top.Close() // opened for looking only
	if err != nil {
		return fmt.Errorf("sandbox: removing a work folder: %w", err)
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("sandbox: removing a work folder: %w", err)
	}
	return nil
}

// remover empties one folder.
type remover struct {
	top   int
	moved int
}

// empty deletes all entries of a folder but folders, which it gives to sub.
func (r *remover) empty(f *os.File, sub func(dir int, name string) error) error {
	for {
		// What is read while entries go may leave some out, so we read until
		// there is nothing to read.
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		names, err := f.Readdirnames(1024)
		if len(names) == 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		for _, name := range names {
			err := unix.Unlinkat(int(f.Fd()), name, 0)
			if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
				err = sub(int(f.Fd()), name)
			}
			if err != nil && !errors.Is(err, unix.ENOENT) {
				return fmt.Errorf("%q: %w", name, err)
			}
		}
	}
}

// inTop removes a folder that lies in the top one, and moves those in it up.
func (r *remover) inTop(dir int, name string) error {
	f, err := openFolder(dir, name)
	if err != nil {
		return err
	}
	err = r.empty(f, r.raise)
	_ = f.Close() // opened for looking only
	if err != nil {
		return err
	}
	return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
}

// raise moves a folder to the top.
func (r *remover) raise(dir int, name string) error {
	// Its own entry for its parent changes, for which it must be open.
	f, err := openFolder(dir, name)
	if err != nil {
		return err
	}
	_ = f.Close() // opened for its mode only
	for {
		r.moved++
		err := unix.Renameat(dir, name, r.top, "removed-"+strconv.Itoa(r.moved))
		// The name may be taken by something of the program's.
		if !errors.Is(err, unix.ENOTEMPTY) && !errors.Is(err, unix.EEXIST) && !errors.Is(err, unix.ENOTDIR) {
			return err
		}
	}
}

// openFolder opens a folder that its owner may have closed, and leaves it open.
func openFolder(dir int, name string) (*os.File, error) {
	at, err := unix.Openat(dir, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(at)
	if err := unix.Chmod("/proc/self/fd/"+strconv.Itoa(at), 0o700); err != nil {
		return nil, err
	}
	fd, err := unix.Openat(at, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), filepath.Base(name)), nil
}

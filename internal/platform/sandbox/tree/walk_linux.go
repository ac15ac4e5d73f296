package tree

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Bounds of a work folder besides its bytes. One descriptor is open for every
// level that a walk has gone down.
const (
	maxLevels = 256
	maxFiles  = 2_000_000
)

// ErrTooLarge is the family of errors about a tree that passes the bounds.
var ErrTooLarge = errors.New("sandbox: a folder is too deep or holds too many files")

// walker walks a folder by descriptors, so that every step costs the same however
// deep it is, and no link that a program puts in the way is followed.
type walker struct {
	// visit is shown every entry: the folder it is in, its name there and what it
	// is. An error ends the walk.
	visit func(dir int, name string, st *unix.Stat_t) error
	left  int // entries
}

// Walk shows everything below a folder, and not the folder itself.
func Walk(dir string, visit func(dir int, name string, st *unix.Stat_t) error) error {
	t := &walker{visit: visit, left: maxFiles}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return fmt.Errorf("sandbox: looking at a folder: %w", err)
	}
	return t.walkDir(unix.AT_FDCWD, dir, st.Mode, maxLevels)
}

// folder walks one folder and closes it.
func (t *walker) folder(f *os.File, levels int) error {
	defer f.Close()
	for {
		names, err := f.Readdirnames(256)
		for _, name := range names {
			if err := t.entry(int(f.Fd()), name, levels); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, unix.ENOENT) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (t *walker) entry(dir int, name string, levels int) error {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return IgnoreVanished(err)
	}
	if t.left--; t.left < 0 {
		return fmt.Errorf("%w: more than %d files", ErrTooLarge, maxFiles)
	}
	if err := t.visit(dir, name, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return err
	}
	if levels == 0 {
		return fmt.Errorf("%w: more than %d levels", ErrTooLarge, maxLevels)
	}
	return t.walkDir(dir, name, st.Mode, levels-1)
}

// walkDir opens a folder and walks it.
func (t *walker) walkDir(dir int, name string, mode uint32, levels int) error {
	if mode&0o500 != 0o500 && os.Geteuid() != 0 {
		restore, err := unlock(dir, name, mode)
		if err != nil {
			return IgnoreVanished(err)
		}
		defer restore()
	}
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return IgnoreVanished(err)
	}
	return t.folder(os.NewFile(uintptr(fd), name), levels)
}

// IgnoreVanished forgives what programs do while we look: remove, or replace by
// something that is not a folder.
func IgnoreVanished(err error) error {
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil
	}
	return err
}

// unlock lets its owner read a folder that a program closed, and returns what
// closes it again unless the program has changed it meanwhile.
func unlock(dir int, name string, mode uint32) (restore func(), err error) {
	fd, err := unix.Openat(dir, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	// A descriptor that is only a place cannot be changed except by its name.
	at := "/proc/self/fd/" + strconv.Itoa(fd)
	before, open := mode&0o7777, mode&0o7777|0o500
	if err := unix.Chmod(at, open); err != nil {
		_ = unix.Close(fd) // err says what failed
		return nil, err
	}
	return func() {
		var now unix.Stat_t
		if unix.Fstatat(fd, "", &now, unix.AT_EMPTY_PATH) == nil && now.Mode&0o7777 == open {
			_ = unix.Chmod(at, before) // it is the program's own affair
		}
		_ = unix.Close(fd) // only a place
	}, nil
}

//go:build unix

package folderlock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// File locks an open file until it is closed.
func File(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

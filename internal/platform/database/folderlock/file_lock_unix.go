//go:build unix

package folderlock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// File locks an open file until Close, or the end of the process.
func File(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// Close unlocks and closes a file. Closing alone would leave the lock to a program that is
// just being started and has not yet closed what it inherited.
func Close(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}

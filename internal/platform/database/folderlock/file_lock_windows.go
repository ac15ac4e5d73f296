package folderlock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// File locks an open file until Close, or the end of the process.
func File(f *os.File) error {
	// One byte far behind the text that says who the owner is: others may read that.
	at := &windows.Overlapped{OffsetHigh: 1}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// Close unlocks and closes a file.
func Close(f *os.File) error { return f.Close() }

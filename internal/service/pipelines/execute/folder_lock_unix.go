//go:build unix

package execute

import (
	"errors"
	"os"
	"syscall"
)

// errLocked says that a living server holds a folder.
var errLocked = errors.New("execute: the folder is in use")

// lock holds a folder until the file is closed or the process ends, in
// whatever way.
func lock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close() // opened for the lock only
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, err
	}
	return f, nil
}

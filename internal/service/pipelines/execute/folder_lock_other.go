//go:build !unix

package execute

import (
	"errors"
	"os"
)

var errLocked = errors.New("execute: the folder is in use")

// lock is not needed where nothing can be run.
func lock(dir string) (*os.File, error) { return os.Open(dir) }

//go:build unix

package git

import "os"

// unlink takes the name from an open file, so that nothing is left of it when
// the process ends.
func unlink(f *os.File) { _ = os.Remove(f.Name()) }

// removeClosed has nothing to do: the file has no name.
func removeClosed(*os.File) {}

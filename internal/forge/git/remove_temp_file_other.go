//go:build !unix

package git

import "os"

// unlink leaves an open file its name: here it cannot be removed.
func unlink(*os.File) {}

// removeClosed removes a file after its use.
func removeClosed(f *os.File) { _ = os.Remove(f.Name()) }

//go:build unix

package listen

import "golang.org/x/sys/unix"

// descriptorLimit is how many files and connections the process may have open; zero means
// that the system does not say. The Go runtime has raised it as far as it may.
func descriptorLimit() uint64 {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return 0
	}
	return uint64(r.Cur) //nolint:unconvert // signed on some systems
}

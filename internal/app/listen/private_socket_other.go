//go:build !linux

package listen

import (
	"errors"
	"net"
	"os"
	"path/filepath"
)

// listenPrivately makes a socket in place of the file. It is made in a folder that only
// we can enter and moved into place, so that it is never reachable with wider
// permissions.
func listenPrivately(path string) (l *net.UnixListener, err error) {
	private, err := os.MkdirTemp(filepath.Dir(path), ".s")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(private) }() // empty by then
	temporary := filepath.Join(private, "s")
	if err := shortly(temporary, func(short string) error {
		l, err = net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
		return err
	}); err != nil {
		return nil, err
	}
	if err := errors.Join(os.Chmod(temporary, ownerOnly().Mode), os.Rename(temporary, path)); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

package listen

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"
)

// listenPrivately makes a socket in place of the file, that only its owner can open from
// its first moment: here the mode of a socket becomes that of its file when it is bound.
func listenPrivately(path string) (l *net.UnixListener, err error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) { failed = syscall.Fchmod(int(fd), uint32(ownerOnly().Mode)) })
		return errors.Join(err, failed)
	}}
	err = shortly(path, func(short string) error {
		made, err := config.Listen(context.Background(), "unix", short)
		if err != nil {
			return err
		}
		l = made.(*net.UnixListener)
		return nil
	})
	return l, err
}

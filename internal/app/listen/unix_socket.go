package listen

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// dialTime bounds the question whether a process listens on an old socket.
const dialTime = time.Second

// Socket opens a unix socket that only its owner may use. A socket that an ended
// process left behind is replaced; one that a process answers on, and anything that
// is not a socket, is left alone.
func Socket(path string) (net.Listener, error) { return SocketFor(path, ownerOnly()) }

// SocketFor is Socket for others than the server's own user.
func SocketFor(path string, access Access) (net.Listener, error) {
	if strings.HasPrefix(path, "@") {
		return nil, errors.New("abstract sockets have no permissions; name a file")
	}
	if err := staleSocket(path); err != nil {
		return nil, err
	}
	l, err := listenPrivately(path)
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	if err := access.apply(path); err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(path))
	}
	made, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &socket{Listener: l, path: path, made: made}, nil
}

// staleSocket returns why the path cannot be taken, nil when it can.
func staleSocket(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return errors.New("there is a file that is not a socket; remove it or choose another path")
	}
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	defer cancel()
	c, err := DialSocket(ctx, path)
	if err == nil {
		_ = c.Close() // only a probe
		return errors.New("another process answers there; stop it or choose another path")
	}
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("whether another process listens there is not known: %w", err)
}

// socket removes its file when it closes, unless another took its place.
type socket struct {
	net.Listener
	path string
	made os.FileInfo
	once sync.Once
}

// Close stops listening.
func (s *socket) Close() error {
	err := s.Listener.Close()
	s.once.Do(func() {
		if now, failed := os.Lstat(s.path); failed == nil && os.SameFile(now, s.made) {
			_ = os.Remove(s.path) // the next start replaces it
		}
	})
	return err
}

package listen

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"testing"
)

type brokenListener struct{ err error }

func (l brokenListener) Accept() (net.Conn, error) { return nil, l.err }
func (brokenListener) Close() error                { return nil }
func (brokenListener) Addr() net.Addr              { return &net.TCPAddr{} }

// TestAcceptLog: a process out of descriptors says so, once in a while; one that was
// closed says nothing.
func TestAcceptLog(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]int{syscall.EMFILE: 1, net.ErrClosed: 0} {
		var text bytes.Buffer
		l := &acceptLog{Listener: brokenListener{err}, log: slog.New(slog.NewTextHandler(&text, nil))}
		for range 100 {
			if _, got := l.Accept(); !errors.Is(got, err) {
				t.Fatalf("got %v, want %v", got, err)
			}
		}
		if n := strings.Count(text.String(), "cannot be accepted"); n != want {
			t.Errorf("%v: %d lines, want %d: %s", err, n, want, text.String())
		}
	}
}

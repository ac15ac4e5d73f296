package listen

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// acceptPause is the shortest time between two lines about connections that cannot be
// accepted: the server tries again many times a second.
const acceptPause = 10 * time.Second

// acceptLog is a listener that says in the log when it cannot accept connections, as
// when the process is out of file descriptors. Clients see nothing but time passing.
type acceptLog struct {
	net.Listener
	log *slog.Logger

	mu   sync.Mutex
	last time.Time
	lost int
}

// Accept implements net.Listener.
func (l *acceptLog) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		l.note(err)
	}
	return conn, err
}

func (l *acceptLog) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost++
	now := clock.Real().Now()
	if !l.last.IsZero() && now.Sub(l.last) < acceptPause {
		return
	}
	l.log.Error("connections cannot be accepted; raise the limit of open files (ulimit -n) if there are too many",
		"address", l.Addr().String(), "tries", l.lost, "error", err)
	l.last, l.lost = now, 0
}

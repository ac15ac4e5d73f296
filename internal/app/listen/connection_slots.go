package listen

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// maxReserved is how many descriptors are kept for files at most.
const maxReserved = 1024

// Connections bounds the connections of clients, so that they leave descriptors for
// the files of the stores: one that cannot open its next file may end the process. Those
// that find no slot wait in the queue of the system. Servers of one process share it.
type Connections struct {
	slots chan struct{} // nil means no bound

	mu   sync.Mutex
	last time.Time
}

// NewConnections shares the descriptors of the process between connections and files.
func NewConnections() *Connections { return connectionsOf(descriptorLimit()) }

// connectionsOf shares as many descriptors; zero means that the system has no such bound.
func connectionsOf(descriptors uint64) *Connections {
	s := &Connections{}
	if descriptors > 0 {
		descriptors = min(descriptors, 1<<20)
		s.slots = make(chan struct{}, descriptors-min(descriptors/2, maxReserved))
	}
	return s
}

// take waits for a slot and reports whether there is one before the listener closes.
func (s *Connections) take(closed <-chan struct{}, log *slog.Logger) bool {
	if s.slots == nil {
		return true
	}
	select {
	case s.slots <- struct{}{}:
		return true
	default:
		s.note(log)
	}
	select {
	case s.slots <- struct{}{}:
		return true
	case <-closed:
		return false
	}
}

func (s *Connections) give() {
	if s.slots != nil {
		<-s.slots
	}
}

// note says that connections wait, once in a while: clients see nothing but time passing.
func (s *Connections) note(log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := clock.Real().Now()
	if !s.last.IsZero() && now.Sub(s.last) < acceptPause {
		return
	}
	s.last = now
	log.Error("connections wait: as many are open as the limit of open files allows (ulimit -n)", "open", cap(s.slots))
}

// boundedListener hands a connection on when there is a slot for it. Waiting for
// connections takes none: a lab has a thousand ports, most of them idle.
type boundedListener struct {
	net.Listener
	slots  *Connections
	log    *slog.Logger
	closed chan struct{}
	once   sync.Once
}

func (s *Connections) bound(l net.Listener, log *slog.Logger) *boundedListener {
	return &boundedListener{Listener: l, slots: s, log: log, closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *boundedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil, errors.Join(errors.New("connections of this listener cannot be counted"), c.Close())
	}
	if !l.slots.take(l.closed, l.log) {
		return nil, errors.Join(net.ErrClosed, c.Close())
	}
	return &slotConn{TCPConn: tcp, slots: l.slots}, nil
}

// Close implements net.Listener.
func (l *boundedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// slotConn gives its slot back when it is closed. It has all methods of the connection,
// which lets a file be sent without copying it.
type slotConn struct {
	*net.TCPConn
	slots *Connections
	once  sync.Once
}

// Close implements net.Conn.
func (c *slotConn) Close() error {
	err := c.TCPConn.Close()
	c.once.Do(c.slots.give)
	return err
}

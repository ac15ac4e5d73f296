package listen

import (
	"errors"
	"net"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// tlsHandshake is the first byte of a TLS connection (RFC 8446 section 5.1), which
// no HTTP request begins with.
const tlsHandshake = 0x16

// split gives the connections of one listener to two: those that begin with a TLS
// handshake to secure, all others to plain.
type split struct {
	inner         net.Listener
	plain, secure *branch

	mu    sync.Mutex
	open  int                   // branches that are not closed
	fresh map[net.Conn]struct{} // of which nothing was read yet
	group sync.WaitGroup
}

// branch is one of the two listeners.
type branch struct {
	split    *split
	accepted chan accepted
	closed   chan struct{}
	once     sync.Once
}

type accepted struct {
	conn net.Conn
	err  error
}

func newSplit(l *boundedListener) *split {
	s := &split{inner: l, open: 2, fresh: map[net.Conn]struct{}{}}
	s.plain, s.secure = s.newBranch(), s.newBranch()
	s.group.Go(s.accept)
	return s
}

func (s *split) newBranch() *branch {
	return &branch{split: s, accepted: make(chan accepted), closed: make(chan struct{})}
}

// accept takes connections until the listener is closed.
func (s *split) accept() {
	for {
		c, err := s.inner.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// The server waits a moment before it asks for the next one.
			s.plain.hand(accepted{err: err})
			continue
		}
		if s.enter(c) {
			s.group.Go(func() { s.sort(c) })
		}
	}
}

// enter keeps a fresh connection, so that close can end it.
func (s *split) enter(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == 0 {
		_ = c.Close() // nothing was said on it
		return false
	}
	s.fresh[c] = struct{}{}
	return true
}

// sort waits for the first byte. A client that sends none is given as long as for a
// request's header.
func (s *split) sort(c net.Conn) {
	var first [1]byte
	until := clock.Real().Now().Add(headerTime)
	err := c.SetReadDeadline(until)
	if err == nil {
		_, err = c.Read(first[:])
	}
	err = errors.Join(err, c.SetReadDeadline(time.Time{}))
	s.mu.Lock()
	delete(s.fresh, c)
	s.mu.Unlock()
	if err != nil {
		_ = c.Close() // the client has gone or is silent
		return
	}
	to := s.plain
	if first[0] == tlsHandshake {
		to = s.secure
	}
	if !to.hand(accepted{conn: &begun{Conn: c, first: first[:], until: until}}) {
		_ = c.Close() // no request is served any more
	}
}

// hand gives a connection to who accepts, unless the branch is closed.
func (b *branch) hand(a accepted) bool {
	select {
	case b.accepted <- a:
		return true
	case <-b.closed:
		return false
	}
}

// Accept implements net.Listener.
func (b *branch) Accept() (net.Conn, error) {
	select {
	case a := <-b.accepted:
		return a.conn, a.err
	case <-b.closed:
		return nil, net.ErrClosed
	}
}

// Addr implements net.Listener.
func (b *branch) Addr() net.Addr { return b.split.inner.Addr() }

// Close ends the branch; the last one closes the listener.
func (b *branch) Close() (err error) {
	b.once.Do(func() {
		close(b.closed)
		err = b.split.leave()
	})
	return err
}

func (s *split) leave() error {
	s.mu.Lock()
	if s.open--; s.open > 0 {
		s.mu.Unlock()
		return nil
	}
	err := s.inner.Close()
	for c := range s.fresh {
		_ = c.Close() // nothing was said on it
	}
	s.mu.Unlock()
	s.group.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// begun is a connection whose first byte was read already.
type begun struct {
	net.Conn
	first []byte
	until time.Time // when the header or the handshake that it begins has to be there
}

// SetReadDeadline implements net.Conn. The server gives the first header, or handshake, as long as
// any other: the wait for its first byte is a part of that.
func (c *begun) SetReadDeadline(t time.Time) error {
	if !t.IsZero() && t.After(c.until) && !c.until.IsZero() {
		t = c.until
	}
	c.until = time.Time{}
	return c.Conn.SetReadDeadline(t)
}

// Read gives the first byte again.
func (c *begun) Read(p []byte) (int, error) {
	if len(c.first) == 0 || len(p) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.first)
	c.first = c.first[n:]
	return n, nil
}

// NetConn is the connection below, as that of a TLS connection.
func (c *begun) NetConn() net.Conn { return c.Conn }

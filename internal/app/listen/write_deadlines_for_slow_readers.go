package listen

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route/arrival"
)

// takeTime is how long a client may take for what is written to its connection at once.
const takeTime = arrival.Time

// takeLimit ends writes to clients that do not read, also those of handlers that give no
// time: many small answers fill the buffers on the way as well as a large one does, and the
// next write would keep its handler, and what that holds, for ever.
type takeLimit struct {
	own  atomic.Int64  // the deadline that was set, in nanoseconds; 0 is none
	time time.Duration // takeTime where it is zero
}

// note keeps the deadline that is set from outside.
func (l *takeLimit) note(t time.Time) {
	if t.IsZero() {
		l.own.Store(0)
		return
	}
	l.own.Store(t.UnixNano())
}

// of is the deadline of a write that begins now.
func (l *takeLimit) of(now time.Time) time.Time {
	limit := l.time
	if limit == 0 {
		limit = takeTime
	}
	at := now.Add(limit)
	if own := l.own.Load(); own != 0 && own < at.UnixNano() {
		return time.Unix(0, own)
	}
	return at
}

// Write implements net.Conn.
func (c *slotConn) Write(b []byte) (int, error) {
	if err := c.TCPConn.SetWriteDeadline(c.write.of(clock.Real().Now())); err != nil {
		return 0, err
	}
	n, err := c.TCPConn.Write(b)
	return n, c.noteWrite(err)
}

// noteWrite has what a client did not take in time thrown away when the connection is closed: the
// system would go on keeping it, and offering it to the client.
func (c *slotConn) noteWrite(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = c.SetLinger(0) // a connection that is closed already keeps nothing
	}
	return err
}

// ReadFrom implements io.ReaderFrom. Who sends this way, in pieces, sets a deadline for each.
func (c *slotConn) ReadFrom(r io.Reader) (int64, error) {
	var at time.Time
	if own := c.write.own.Load(); own != 0 {
		at = time.Unix(0, own)
	}
	if err := c.TCPConn.SetWriteDeadline(at); err != nil {
		return 0, err
	}
	n, err := c.TCPConn.ReadFrom(r)
	return n, c.noteWrite(err)
}

// SetWriteDeadline implements net.Conn.
func (c *slotConn) SetWriteDeadline(t time.Time) error {
	c.write.note(t)
	return c.TCPConn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *slotConn) SetDeadline(t time.Time) error {
	c.write.note(t)
	return c.TCPConn.SetDeadline(t)
}

var _ net.Conn = (*slotConn)(nil)

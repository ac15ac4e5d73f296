package listen

import (
	"net"
	"testing"
	"time"
)

// TestFirstDeadline: who sends the first byte late has less time for the rest of the header.
func TestFirstDeadline(t *testing.T) {
	t.Parallel()
	inner := &deadlineConn{}
	until := time.Unix(1000, 0)
	c := &begun{Conn: inner, until: until}
	for _, row := range []struct{ set, want time.Time }{
		{until.Add(time.Second), until},
		{until.Add(time.Minute), until.Add(time.Minute)},
		{time.Time{}, time.Time{}},
	} {
		if err := c.SetReadDeadline(row.set); err != nil || !inner.at.Equal(row.want) {
			t.Errorf("%s: until %s, want %s; %v", row.set, inner.at, row.want, err)
		}
	}
}

// deadlineConn knows its deadline alone.
type deadlineConn struct {
	net.Conn
	at time.Time
}

func (c *deadlineConn) SetReadDeadline(t time.Time) error {
	c.at = t
	return nil
}

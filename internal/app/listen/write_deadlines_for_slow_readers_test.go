package listen

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// TestUnreadAnswers: who asks again and again for something small and reads nothing keeps
// no handler longer than a write may take.
func TestUnreadAnswers(t *testing.T) {
	t.Parallel()
	const limit = 200 * time.Millisecond
	l := boundPort(t, connectionsOf(1024, 0), slog.New(slog.DiscardHandler))
	ended := make(chan error, 1)
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if _, err := io.WriteString(w, strings.Repeat("x", 64<<10)); err != nil {
				ended <- err
			}
		}),
	}
	go func() { _ = server.Serve(shortTime{l, limit}) }() // until Close
	t.Cleanup(func() { _ = server.Close() })              // the test is over
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }() // it was closed by the server
	if _, err := io.WriteString(c, strings.Repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 1000)); err != nil {
		t.Fatal(err)
	}
	guard := clock.Real().NewTimer(20 * time.Second)
	defer guard.Stop()
	select {
	case err := <-ended:
		if !os.IsTimeout(err) {
			t.Errorf("the handler's write ended with %v, want a timeout", err)
		}
	case <-guard.C:
		t.Error("an answer that is not read keeps its handler")
	}
}

// shortTime lets connections take less time.
type shortTime struct {
	net.Listener
	limit time.Duration
}

func (l shortTime) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if s, ok := c.(*slotConn); ok {
		s.write.time = l.limit
	}
	return c, err
}

// TestTakeLimit: a deadline that is set holds where it is the earlier one.
func TestTakeLimit(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	for name, row := range map[string]struct{ own, want time.Time }{
		"none":    {time.Time{}, now.Add(takeTime)},
		"earlier": {now.Add(time.Second), now.Add(time.Second)},
		"later":   {now.Add(time.Hour), now.Add(takeTime)},
	} {
		var l takeLimit
		l.note(row.own)
		if got := l.of(now); !got.Equal(row.want) {
			t.Errorf("%s: until %s, want %s", name, got, row.want)
		}
	}
}

package listen

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// TestUnreadIdle: an answer that fits into the buffers of the system ends its handler, and not
// the connection of a client that does not read it. That one is closed, and one whose client has
// read everything stays.
func TestUnreadIdle(t *testing.T) {
	t.Parallel()
	slots := connectionsOf(1024)
	slots.pause = 20 * time.Millisecond
	l := boundPort(t, slots, slog.New(slog.DiscardHandler))
	answered := make(chan struct{}, 3)
	server := &http.Server{
		ReadHeaderTimeout: time.Minute, ConnState: slots.noteState,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", 100<<10)) // that it takes it all is the point
			answered <- struct{}{}
		}),
	}
	go func() { _ = server.Serve(l) }()      // until Close
	t.Cleanup(func() { _ = server.Close() }) // the test is over
	dialed := func() net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() }) // the server may have closed it
		return c
	}
	const question = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	reads := dialed()
	reading := bufio.NewReader(reads)
	readAnswer := func() {
		if _, err := io.WriteString(reads, question); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(reading, nil)
		if err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
		}
		if err != nil {
			t.Fatalf("a client that reads: %v", err)
		}
	}
	readAnswer()
	readsNot := dialed()
	if err := readsNot.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(readsNot, question); err != nil {
		t.Fatal(err)
	}
	<-answered
	<-answered
	for end := clock.Real().Now().Add(20 * time.Second); len(slots.slots) != 1; {
		if clock.Real().Now().After(end) {
			t.Fatalf("%d connections are open, want that of the client that reads alone", len(slots.slots))
		}
		if err := clock.Sleep(t.Context(), clock.Real(), slots.pause); err != nil {
			t.Fatal(err)
		}
	}
	readAnswer()
}

// TestUnreadLooks: who takes enough of what is left goes on, who takes too little is slow, and a
// request in between begins anew.
func TestUnreadLooks(t *testing.T) {
	t.Parallel()
	const large = 100 << 10
	for name, row := range map[string]struct {
		idle, left []int // at each look
		slow       int   // at which, -1 for never
	}{
		"takes nothing":    {[]int{1, 1, 1, 1, 1, 1, 1, 1, 1}, []int{large, large}, takeLooks},
		"takes a little":   {[]int{1, 1, 1, 1, 1, 1, 1, 1, 1}, []int{large, large - leastTaken + 1}, takeLooks},
		"takes enough":     {[]int{1, 1, 1, 1, 1, 1, 1, 1, 1}, []int{large, large - leastTaken}, -1},
		"then stops":       {[]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, []int{large, 9, 9}, 2 * takeLooks},
		"takes the rest":   {[]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, []int{9, 0}, -1},
		"has taken it all": {[]int{1, 1, 1, 1, 1, 1, 1, 1, 1}, []int{0}, -1},
		"asks in between":  {[]int{1, 1, 1, 1, 0, 2, 2, 2, 2, 2, 2, 2}, []int{large, large}, -1},
		"another request":  {[]int{1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2}, []int{large, large, large}, 4 + takeLooks},
	} {
		var u unread
		counted, slow := 0, -1
		for n, idle := range row.idle {
			if u.slow(int64(idle), func() int { counted++; return row.left[counted-1] }) && slow < 0 {
				slow = n
			}
		}
		if slow != row.slow || counted != len(row.left) {
			t.Errorf("%s: slow at look %d after %d counts, want %d and %d", name, slow, counted, row.slow, len(row.left))
		}
	}
}

package listen

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// TestUnreadIdle: an answer that fits into the buffers of the system ends its handler, and not
// the connection of a client that does not read it. That one is closed, and one whose client has
// read everything stays.
func TestUnreadIdle(t *testing.T) {
	t.Parallel()
	slots := connectionsOf(1024, 0)
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

// TestUnreadLooks: who takes enough goes on, who takes too little is slow, with a request and without.
func TestUnreadLooks(t *testing.T) {
	t.Parallel()
	const large = 100 << 10
	for name, row := range map[string]struct {
		idle  int64
		taken int64 // more at each look
		left  int
		slow  int // at which look, 0 for never
	}{
		"takes nothing":               {1, 0, large, takeLooks + 1},
		"takes nothing of a request":  {0, 0, large, takeLooks + 1},
		"takes a little":              {0, leastTaken/takeLooks - 1, large, takeLooks + 1},
		"takes enough":                {1, leastTaken/takeLooks + 1, large, 0},
		"takes enough of a request":   {0, leastTaken/takeLooks + 1, large, 0},
		"has taken it all":            {1, 0, 0, 0},
		"has taken what there was so": {0, 0, 0, 0},
	} {
		var u unread
		taken, counted, slow := int64(0), 0, 0
		for n := range 3 * takeLooks {
			is := u.slow(row.idle, func() (int64, int) { counted++; return taken, row.left })
			if taken += row.taken; is && slow == 0 {
				slow = n + 1
			}
		}
		if slow != row.slow {
			t.Errorf("%s: slow at look %d, want %d", name, slow, row.slow)
		}
		if idles := row.idle > 0 && row.left == 0; idles != (counted == 1) {
			t.Errorf("%s: counted %d times", name, counted)
		}
	}
}

// TestHeldConnections: those are counted that are in one request from look to look, and no others.
func TestHeldConnections(t *testing.T) {
	t.Parallel()
	slots := connectionsOf(1024, 0)
	slots.pause = time.Hour
	l := boundPort(t, slots, slog.New(slog.DiscardHandler))
	entered, leave := make(chan struct{}), make(chan struct{})
	server := &http.Server{
		ReadHeaderTimeout: time.Minute, ConnState: slots.noteState,
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/waits" {
				entered <- struct{}{}
				<-leave
			}
		}),
	}
	go func() { _ = server.Serve(l) }()      // until Close
	t.Cleanup(func() { _ = server.Close() }) // the test is over
	ask := func(path string) {
		answer, err := http.Get("http://" + l.Addr().String() + path)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, answer.Body) // it is empty
		_ = answer.Body.Close()
	}
	ask("/") // the connection is idle from here on
	var waiting sync.WaitGroup
	waiting.Go(func() { ask("/waits") })
	<-entered
	for i, want := range []int64{0, 1, 1} {
		if _, held := slots.look(); held != want {
			t.Errorf("look %d: %d connections are held, want %d", i+1, held, want)
		}
	}
	leave <- struct{}{}
	waiting.Wait()
	waiting.Go(func() { ask("/waits") })
	<-entered
	if _, held := slots.look(); held != 0 {
		t.Errorf("at the first look of another request %d connections are held, want none", held)
	}
	leave <- struct{}{}
	waiting.Wait()
}

package route_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/arrival"
	"stoa.dev/stoa/internal/platform/wire"
)

// refusals has a way to be refused at every gate, and by the handler itself.
func refusals(t *testing.T) *testServer {
	t.Helper()
	read := func(w http.ResponseWriter, r *route.Request) error {
		_, err := io.Copy(io.Discard, r.Body)
		return errors.Join(err, route.ErrNoRoute)
	}
	return build(t, []route.Route{
		{Method: "POST", Pattern: "/closed", Name: "Closed", Access: route.Required, Handle: say("in")},
		{Method: "POST", Pattern: "/small", Name: "Small", MaxBody: 10, Handle: say("in")},
		{Method: "POST", Pattern: "/unread", Name: "Unread",
			Handle: func(http.ResponseWriter, *route.Request) error { return route.ErrNoRoute }},
		{Method: "POST", Pattern: "/read", Name: "Read", Handle: read},
		{Method: "POST", Pattern: "/busy", Name: "Busy", Handle: say("in")},
	}, func(o *route.Options) {
		o.Gate = func(_ http.ResponseWriter, r *route.Request) (func(), error) {
			if r.URL.Path == "/busy" {
				return nil, &limit.Exceeded{}
			}
			return nil, nil
		}
	})
}

// TestRefusalDoesNotWaitForTheBody sends the head of a request whose body never
// comes: the answer must come all the same, and end the connection.
func TestRefusalDoesNotWaitForTheBody(t *testing.T) {
	t.Parallel()
	s := serve(t, refusals(t).mux)
	const endless, large = "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "Content-Length: 1000000\r\n\r\nhello"
	for name, tc := range map[string]struct {
		line, body string
		status     int
	}{
		"no route":            {"POST /nowhere", endless, 404},
		"no such method":      {"PUT /closed", endless, 405},
		"no credential":       {"POST /closed", endless, 401},
		"too large":           {"POST /small", large, 413},
		"limited":             {"POST /busy", endless, 429},
		"limited and large":   {"POST /busy", large, 429},
		"handler without end": {"POST /unread", endless, 404},
		"handler and large":   {"POST /unread", large, 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := half(t, s.Listener.Addr().String(), tc.line+" HTTP/1.1\r\nHost: x\r\n"+tc.body)
			if response.StatusCode != tc.status || !response.Close {
				t.Errorf("status %d, connection closes: %v; want %d and true", response.StatusCode, response.Close, tc.status)
			}
		})
	}
}

// TestRefusalKeepsTheConnection checks that a body that was read, or that is
// short, costs no connection.
func TestRefusalKeepsTheConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, refusals(t).mux)
	for name, tc := range map[string]struct{ line, body string }{
		"short":             {"POST /nowhere", "Content-Length: 5\r\n\r\nhello"},
		"none":              {"GET /nowhere", "\r\n"},
		"read to the end":   {"POST /read", "Content-Length: 20000\r\n\r\n" + strings.Repeat("x", 20000)},
		"chunked, and read": {"POST /read", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := half(t, s.Listener.Addr().String(), tc.line+" HTTP/1.1\r\nHost: x\r\n"+tc.body)
			if response.StatusCode != 404 || response.Close {
				t.Errorf("status %d, connection closes: %v; want 404 and false", response.StatusCode, response.Close)
			}
		})
	}
}

// half sends bytes and reads the answer with the connection still open.
func half(t *testing.T, address, text string) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(guard)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	return response
}

// TestSlowBodyEnds sends a part of a body and then nothing: the sender is told
// in the envelope when the operation's time is over, and the handler goes.
func TestSlowBodyEnds(t *testing.T) {
	t.Parallel()
	read := func(w http.ResponseWriter, r *route.Request) error {
		var dst struct{}
		return wire.ReadJSON(r.Request, &dst)
	}
	routes := []route.Route{{Method: "POST", Pattern: "/x", Name: "X", Timeout: 50 * time.Millisecond, Handle: read}}
	s := serve(t, build(t, routes).mux)
	for name, body := range map[string]string{
		"short":   "Content-Length: 10\r\n\r\n{",
		"large":   "Content-Length: 100000\r\n\r\n{",
		"chunked": "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := half(t, s.Listener.Addr().String(), "POST /x HTTP/1.1\r\nHost: x\r\n"+body)
			if response.StatusCode != 504 || !response.Close {
				t.Errorf("status %d, connection closes: %v; want 504 and true", response.StatusCode, response.Close)
			}
		})
	}
}

// TestUnreadBodyHasADeadline: the server reads what the handler left of a body, and a body without
// a length that nothing has read has a time for that too.
func TestUnreadBodyHasADeadline(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]func(http.ResponseWriter, *route.Request) error{
		"refused":  func(http.ResponseWriter, *route.Request) error { return route.ErrNoRoute },
		"answered": say("in"),
	} {
		for _, length := range []int64{-1, 1 << 20} {
			m := build(t, []route.Route{{Method: "POST", Pattern: "/x", Name: "X", Handle: handle}}).mux
			r := httptest.NewRequest("POST", "/x", strings.NewReader("{"))
			r.ContentLength = length
			w := &readDeadline{ResponseRecorder: httptest.NewRecorder()}
			m.ServeHTTP(w, r)
			if left := time.Until(w.at); w.at.IsZero() || left > arrival.Time {
				t.Errorf("%s, a length of %d: the rest may take until %s", name, length, w.at)
			}
		}
	}
}

// readDeadline is a writer whose connection has one.
type readDeadline struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (w *readDeadline) SetReadDeadline(at time.Time) error {
	w.at = at
	return nil
}

// TestReadBodyLeavesTheConnectionAlone has a handler that works on after it
// read the body, up to and beyond the time in which that had to come.
func TestReadBodyLeavesTheConnectionAlone(t *testing.T) {
	t.Parallel()
	s := serve(t, build(t, []route.Route{{
		Method: "POST", Pattern: "/x", Name: "X", Timeout: 50 * time.Millisecond,
		Handle: func(w http.ResponseWriter, r *route.Request) error {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return err
			}
			<-r.Context().Done()
			if err := r.Request.Context().Err(); err != nil {
				return err
			}
			return r.Context().Err()
		},
	}}).mux)
	response := half(t, s.Listener.Addr().String(), "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
	if response.StatusCode != 504 || response.Close {
		t.Errorf("status %d, connection closes: %v; want 504 and false", response.StatusCode, response.Close)
	}
}

// TestSlowReaderEnds has a caller that asks for much and reads nothing.
func TestSlowReaderEnds(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(http.ResponseWriter) error{
		"whole":  func(w http.ResponseWriter) error { _, err := w.Write(make([]byte, 64<<20)); return err },
		"copied": func(w http.ResponseWriter) error { _, err := io.Copy(w, io.LimitReader(zeros{}, 1<<40)); return err },
		"streamed": func(w http.ResponseWriter) error {
			for {
				if _, err := w.Write(make([]byte, 4<<10)); err != nil {
					return err
				}
				if err := http.NewResponseController(w).Flush(); err != nil {
					return err
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan error, 1)
			s := serve(t, build(t, []route.Route{{
				Method: "GET", Pattern: "/x", Name: "X", Timeout: 50 * time.Millisecond,
				Handle: func(w http.ResponseWriter, _ *route.Request) error {
					err := send(w)
					ended <- err
					return err
				},
			}}).mux)
			conn, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-ended:
				if err == nil {
					t.Error("everything was sent, want an error")
				}
			case <-time.After(guard):
				t.Error("the handler still waits for the reader")
			}
		})
	}
}

// TestPausesBetweenPieces has a stream that is silent for longer than a reader
// may take.
func TestPausesBetweenPieces(t *testing.T) {
	t.Parallel()
	const patience = 300 * time.Millisecond
	large := strings.Repeat("x", 20<<10)
	s := serve(t, build(t, []route.Route{{
		Method: "GET", Pattern: "/x", Name: "X", Timeout: patience,
		Handle: func(w http.ResponseWriter, r *route.Request) error {
			for range 2 {
				if _, err := io.WriteString(w, large); err != nil {
					return err
				}
				if err := http.NewResponseController(w).Flush(); err != nil {
					return err
				}
				if err := clock.Sleep(context.Background(), clock.Real(), 2*patience); err != nil {
					return err
				}
			}
			return nil
		},
	}}).mux)
	response, err := s.Client().Get(s.URL + "/x")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got, err := io.ReadAll(response.Body); err != nil || len(got) != 2*len(large) {
		t.Errorf("read %d bytes, %v; want %d", len(got), err, 2*len(large))
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

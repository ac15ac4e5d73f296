package route_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/route"
)

// TestResetConnections: a caller that resets its connection, wherever the request is, is no failure of the server.
func TestResetConnections(t *testing.T) {
	t.Parallel()
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, 64<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		head   string
		handle route.Handler
	}{
		"while its body is read": {"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc",
			func(_ http.ResponseWriter, r *route.Request) error {
				if _, err := io.ReadAll(r.Body); err != nil {
					return fmt.Errorf("store the text: %w", err)
				}
				return errors.New("the body was whole")
			}},
		"while its body is read, told as text": {
			"POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
			func(_ http.ResponseWriter, r *route.Request) error {
				_, err := io.ReadAll(r.Body)
				return fmt.Errorf("store the text: %v", err) //nolint:errorlint // a handler may lose the cause
			}},
		"while a file is sent": {"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
			func(w http.ResponseWriter, _ *route.Request) error {
				f, err := os.Open(large)
				if err != nil {
					return err
				}
				defer func() { _ = f.Close() }()
				w.Header().Set("Content-Length", fmt.Sprint(64<<20))
				_, err = io.Copy(w, f)
				return err
			}},
		"while an answer streams": {"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
			func(w http.ResponseWriter, _ *route.Request) error {
				for {
					if _, err := w.Write(make([]byte, 256<<10)); err != nil {
						return err
					}
				}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := make(chan struct{})
			h := build(t, []route.Route{{Method: "POST", Pattern: "/x", Name: "X", Handle: row.handle}})
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(done)
				h.mux.ServeHTTP(w, r)
			}))
			reset(t, s.Listener.Addr().String(), row.head)
			select {
			case <-done:
			case <-time.After(guard):
				t.Fatal("the handler never ended")
			}
			recent := h.tel.Recent()
			if len(recent) != 1 || recent[0].Status != route.StatusClientGone {
				t.Errorf("recent: got %+v, want one with status 499", recent)
			}
			if text := h.log.String(); strings.Contains(text, "level=ERROR") || strings.Contains(text, "level=INFO") {
				t.Errorf("the log says %s", text)
			}
			metrics := do(h.tel.Handler(), "GET", "/metrics").Body.String()
			if !strings.Contains(metrics, `stoa_http_requests_total{route="X",service="test",status="gone"} 1`) {
				t.Error("it is not counted as gone")
			}
		})
	}
}

// reset sends the beginning of a request and, when the server is at it, resets the connection.
func reset(t *testing.T, address, text string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	<-time.After(100 * time.Millisecond)
	if err := errors.Join(conn.(*net.TCPConn).SetLinger(0), conn.Close()); err != nil {
		t.Fatal(err)
	}
}

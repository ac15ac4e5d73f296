package route_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/wire"
)

// guard is how long a test waits for what must happen; it never passes when all
// is well.
const guard = 10 * time.Second

// serve runs the mux on a real server.
func serve(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = nil
	s.Start()
	t.Cleanup(func() {
		s.Client().CloseIdleConnections()
		s.Close()
	})
	return s
}

// one is a table of a single GET /x.
func one(f route.Handler) []route.Route {
	return []route.Route{{Method: "GET", Pattern: "/x", Name: "X", Handle: f}}
}

func TestPanicBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	h := build(t, one(func(w http.ResponseWriter, _ *route.Request) error {
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Content-Length", "12345")
		w.Header().Set("X-Kept", "yes")
		panic("teapot exploded")
	}))
	rec := do(h.mux, "GET", "/x", "X-Request-Id", "r1")
	if rec.Code != 500 || !strings.Contains(rec.Body.String(), `"panic"`) {
		t.Errorf("got %d %s, want 500 in the envelope", rec.Code, rec.Body)
	}
	if strings.Contains(rec.Body.String(), "teapot") {
		t.Errorf("the panic's value reaches the caller: %s", rec.Body)
	}
	if got := rec.Header().Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
		t.Errorf("content type of the error: got %q, want json", got)
	}
	if got := rec.Header().Get("X-Kept"); got != "yes" {
		t.Errorf("X-Kept: got %q, want yes", got)
	}
	log := h.log.String()
	if n := strings.Count(log, "teapot exploded"); n != 1 {
		t.Errorf("the panic is logged %d times, want once:\n%s", n, log)
	}
	if !strings.Contains(log, "failure_test.go") || !strings.Contains(log, "request=r1") {
		t.Errorf("the log lacks stack or request id:\n%s", log)
	}
}

func TestPanicAfterTheFirstByteCutsTheConnection(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]route.Handler{
		"panic": func(w http.ResponseWriter, _ *route.Request) error {
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic("late")
		},
		"error": func(w http.ResponseWriter, _ *route.Request) error {
			w.(http.Flusher).Flush()
			return errors.New("late")
		},
		"abort": func(w http.ResponseWriter, _ *route.Request) error {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := build(t, one(f))
			s := serve(t, h.mux)
			resp, err := s.Client().Get(s.URL + "/x")
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			if err == nil {
				t.Error("the answer looks whole, want a cut connection")
			}
			log := h.log.String()
			if name == "abort" && strings.Contains(log, "request failed") {
				t.Errorf("an intended abort is logged as a failure:\n%s", log)
			}
			if name != "abort" && strings.Count(log, "request failed") != 1 {
				t.Errorf("the failure is not logged once:\n%s", log)
			}
		})
	}
}

func TestEnvelopeThatFails(t *testing.T) {
	t.Parallel()
	t.Run("by panic", func(t *testing.T) {
		t.Parallel()
		h := build(t, table(), func(o *route.Options) {
			o.WriteError = func(http.ResponseWriter, *route.Request, error) { panic("envelope") }
		})
		defer func() {
			if got := recover(); got != http.ErrAbortHandler {
				t.Errorf("got panic %v, want the connection cut", got)
			}
			if !strings.Contains(h.log.String(), "envelope") {
				t.Errorf("the failure is not logged:\n%s", h.log)
			}
		}()
		do(h.mux, "GET", "/nowhere")
	})
	t.Run("by silence", func(t *testing.T) {
		t.Parallel()
		h := build(t, table(), func(o *route.Options) {
			o.WriteError = func(http.ResponseWriter, *route.Request, error) {}
		})
		if got := do(h.mux, "GET", "/nowhere").Code; got != 500 {
			t.Errorf("got %d, want 500", got)
		}
	})
}

func TestOnlyOurFailuresAreLogged(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{400: false, 499: false, 500: true, 503: true, 551: false} {
		h := build(t, table(), func(o *route.Options) {
			o.WriteError = func(w http.ResponseWriter, _ *route.Request, _ error) { w.WriteHeader(status) }
		})
		do(h.mux, "GET", "/nowhere")
		if got := strings.Contains(h.log.String(), "request failed"); got != want {
			t.Errorf("%d: logged as a failure: got %v, want %v", status, got, want)
		}
	}
}

// refusal is a refusal of a service.
type refusal struct{}

func (refusal) Error() string { return "no registry is configured" }
func (refusal) Refused() bool { return true }

// What anybody can bring about is no failure of the server: it is told once, not as an
// error, and the alert for server errors does not count it.
func TestRefusalsAreNoFailures(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		err     error
		status  int
		refused bool
	}{
		"a refusal":     {fmt.Errorf("look up: %w", refusal{}), 503, true},
		"without a way": {errors.New("no such format"), 501, true},
		"a failure":     {errors.New("the disk is gone"), 503, false},
	} {
		h := build(t, one(func(http.ResponseWriter, *route.Request) error { return row.err }), func(o *route.Options) {
			o.WriteError = func(w http.ResponseWriter, _ *route.Request, _ error) { w.WriteHeader(row.status) }
		})
		for range 3 {
			do(h.mux, "GET", "/x")
		}
		log := h.log.String()
		failed, told := strings.Count(log, "request failed"), strings.Count(log, "request refused; said once")
		if row.refused && (failed != 0 || told != 1) || !row.refused && (failed != 3 || told != 0) {
			t.Errorf("%s: %d failures and %d refusals in the log:\n%s", name, failed, told, log)
		}
	}
}

func TestReleaseThatPanics(t *testing.T) {
	t.Parallel()
	h := build(t, one(func(http.ResponseWriter, *route.Request) error { return nil }), func(o *route.Options) {
		o.Gate = func(http.ResponseWriter, *route.Request) (func(), error) { return func() { panic("gate") }, nil }
	})
	if rec := do(h.mux, "GET", "/x"); rec.Code != 500 || !strings.Contains(rec.Body.String(), `"panic"`) {
		t.Errorf("got %d %s, want 500 in the envelope", rec.Code, rec.Body)
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	wait := func(w http.ResponseWriter, r *route.Request) error {
		select {
		case <-r.Context().Done():
			return fmt.Errorf("query: %w", r.Context().Err())
		case <-time.After(guard):
			return errors.New("the deadline never came")
		}
	}
	h := build(t, []route.Route{
		{Method: "GET", Pattern: "/slow", Name: "Slow", Timeout: time.Millisecond, Handle: wait},
		{Method: "GET", Pattern: "/derived", Name: "Derived", Timeout: time.Millisecond,
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				ctx, cancel := context.WithCancel(r.Context())
				defer cancel()
				<-ctx.Done()
				return context.Cause(ctx)
			}},
		{Method: "GET", Pattern: "/own", Name: "Own", Handle: func(w http.ResponseWriter, r *route.Request) error {
			ctx, cancel := context.WithTimeout(r.Context(), time.Millisecond)
			defer cancel()
			<-ctx.Done()
			return ctx.Err()
		}},
		{Method: "GET", Pattern: "/stream", Name: "Stream", Streams: true, Timeout: time.Nanosecond,
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				if _, ok := r.Context().Deadline(); ok {
					t.Error("a stream has a deadline, want none")
				}
				return r.Context().Err()
			}},
		{Method: "GET", Pattern: "/quick", Name: "Quick", Timeout: time.Hour,
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				at, ok := r.Context().Deadline()
				if left := time.Until(at); !ok || left > time.Hour || left < 59*time.Minute {
					t.Errorf("deadline: got %v %v, want about an hour ahead", at, ok)
				}
				return r.Context().Err()
			}},
	})
	for url, want := range map[string]string{
		"/slow": `504 "deadline"`, "/derived": `504 "deadline"`, "/own": `500 "internal"`, "/stream": "200 ",
		"/quick": "200 ",
	} {
		rec := do(h.mux, "GET", url)
		status, code, _ := strings.Cut(want, " ")
		if fmt.Sprint(rec.Code) != status || !strings.Contains(rec.Body.String(), code) {
			t.Errorf("%s: got %d %s, want %s", url, rec.Code, rec.Body, want)
		}
	}
}

// TestMoreTime: simulated worlds give the same answers on a machine that is held up for half a minute.
func TestMoreTime(t *testing.T) {
	t.Parallel()
	left := func(w http.ResponseWriter, r *route.Request) error {
		at, ok := r.Context().Deadline()
		if left := time.Until(at); !ok || left < 59*time.Minute {
			t.Errorf("deadline: got %v %v, want about an hour ahead", at, ok)
		}
		return nil
	}
	h := build(t, []route.Route{
		{Method: "GET", Pattern: "/default", Name: "Default", Handle: left},
		{Method: "GET", Pattern: "/own", Name: "Own", Timeout: time.Nanosecond, Handle: left},
	}, func(o *route.Options) { o.MoreTime = time.Hour })
	for _, url := range []string{"/default", "/own"} {
		if rec := do(h.mux, "GET", url); rec.Code != http.StatusOK {
			t.Errorf("%s: got %d %s", url, rec.Code, rec.Body)
		}
	}
}

func TestContextEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	var early, late context.Context
	h := build(t, one(func(w http.ResponseWriter, r *route.Request) error {
		early = r.Context()
		_ = early.Err() // starts the timer
		return nil
	}))
	do(h.mux, "GET", "/x")
	if early.Err() != context.Canceled {
		t.Errorf("after the request: got %v, want canceled", early.Err())
	}
	h = build(t, one(func(w http.ResponseWriter, r *route.Request) error {
		late = r.Context()
		return nil
	}))
	do(h.mux, "GET", "/x")
	if late.Err() != context.Canceled {
		t.Errorf("first asked after the request: got %v, want canceled", late.Err())
	}
}

func TestClientGone(t *testing.T) {
	t.Parallel()
	inside, done := make(chan struct{}), make(chan struct{})
	h := build(t, one(func(w http.ResponseWriter, r *route.Request) error {
		close(inside)
		<-r.Context().Done()
		return fmt.Errorf("read: %w", r.Context().Err())
	}), func(o *route.Options) {
		o.WriteError = func(http.ResponseWriter, *route.Request, error) {
			t.Error("the envelope was asked, want no answer")
		}
	})
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		h.mux.ServeHTTP(w, r)
	}))
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-inside
		cancel()
	}()
	if resp, err := s.Client().Do(r); err == nil {
		_ = resp.Body.Close()
		t.Error("the caller got an answer, want none")
	}
	select {
	case <-done:
	case <-time.After(guard):
		t.Fatal("the handler never ended")
	}
	recent := h.tel.Recent()
	if len(recent) != 1 || recent[0].Status != route.StatusClientGone {
		t.Errorf("recent: got %+v, want one with status 499", recent)
	}
}

// TestHalfClosed has a caller that closes its half of the connection after the
// request and reads on: to the server it is gone, and what was not done must
// not look like an empty success.
func TestHalfClosed(t *testing.T) {
	t.Parallel()
	h := build(t, one(func(w http.ResponseWriter, r *route.Request) error {
		<-r.Context().Done()
		return r.Context().Err()
	}))
	conn, err := net.Dial("tcp", serve(t, h.mux).Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(guard)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(conn); err != nil || len(answer) > 0 {
		t.Errorf("answer %q, %v; want the end of the connection", answer, err)
	}
}

func TestWriterKeepsTheServersFeatures(t *testing.T) {
	t.Parallel()
	h := build(t, []route.Route{
		{Method: "GET", Pattern: "/deadlines", Name: "Deadlines",
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				c := http.NewResponseController(w)
				return errors.Join(c.SetWriteDeadline(time.Now().Add(guard)), c.SetReadDeadline(time.Now().Add(guard)), c.Flush(),
					c.EnableFullDuplex())
			}},
		{Method: "GET", Pattern: "/copy", Name: "Copy", Handle: func(w http.ResponseWriter, r *route.Request) error {
			_, err := w.(io.ReaderFrom).ReadFrom(strings.NewReader("copied"))
			return err
		}},
		{Method: "GET", Pattern: "/hijack", Name: "Hijack", Handle: func(w http.ResponseWriter, r *route.Request) error {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return err
			}
			_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nhijacked")
			return errors.Join(err, conn.Close())
		}},
		{Method: "GET", Pattern: "/hints", Name: "Hints", Handle: func(w http.ResponseWriter, r *route.Request) error {
			w.WriteHeader(http.StatusEarlyHints)
			return wire.ErrEmptyBody // the response has not begun yet
		}},
	})
	s := serve(t, h.mux)
	for url, want := range map[string]string{"/deadlines": "200 ", "/copy": "200 copied", "/hijack": "200 hijacked",
		"/hints": `400 `} {
		resp, err := s.Client().Get(s.URL + url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if got := fmt.Sprintf("%d %s", resp.StatusCode, body); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}

// raw sends bytes and returns the status line.
func raw(t *testing.T, s *httptest.Server, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(guard))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func TestRawRequests(t *testing.T) {
	t.Parallel()
	s := serve(t, build(t, table()).mux)
	for name, c := range map[string]struct{ send, want string }{
		"malformed percent": {"GET /files/%zz HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 Bad Request"},
		"cut percent":       {"GET /files/% HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 Bad Request"},
		"asterisk":          {"GET * HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 404 Not Found"},
		"absolute form":     {"GET http://x/open HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 OK"},
		"empty absolute":    {"GET http://x HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 404 Not Found"},
		"chunked too large": {"PUT /things/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ann\r\n" +
			"Transfer-Encoding: chunked\r\n" +
			"\r\n1f\r\n" + strings.Repeat(" ", 31) + "\r\n0\r\n\r\n",
			"HTTP/1.1 413 Request Entity Too Large"},
		"chunked cut": {"PUT /things/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ann\r\n" +
			"Transfer-Encoding: chunked\r\n" +
			"\r\nzz\r\n", "HTTP/1.1 400 Bad Request"},
		"two credentials": {"GET /things/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ann\r\n" +
			"Authorization: Bearer bob\r\n\r\n",
			"HTTP/1.1 401 Unauthorized"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := raw(t, s, c.send); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// No way of sending a credential may leave a trace in the log.
func TestNoSecretReachesTheLog(t *testing.T) {
	t.Parallel()
	const canary = "canary-3f786850e387"
	h := build(t, []route.Route{
		{Method: "GET", Pattern: "/x", Name: "X", Access: route.Required, Handle: say("")},
		{Method: "DELETE", Pattern: "/access_tokens/{access_token}", Name: "Delete", Handle: say("")},
		{Method: "POST", Pattern: "/grants/{user_code}:approve", Name: "Approve", Handle: say("")},
		{Method: "GET", Pattern: "/panic", Name: "Panic",
			Handle: func(http.ResponseWriter, *route.Request) error { panic("x") }},
	}, func(o *route.Options) {
		o.Extract = credential.FirstOf(credential.Bearer(), credential.BasicUser(), credential.Header("X-Api-Key"),
			credential.Query("key", "access_token"))
	})
	for _, path := range []string{"/x", "/panic", "/nowhere"} {
		for _, q := range []string{"key", "token", "access_token", "pipeline-token", "code", "client_secret", "api_key",
			"application_key", "KEY", "%6bey"} {
			do(h.mux, "GET", path+"?a=1&"+q+"="+canary+"&b=2")
		}
		do(h.mux, "GET", path, "Authorization", "Bearer "+canary)
		do(h.mux, "GET", path, "Authorization", canary)
		do(h.mux, "GET", path, "Authorization", "Basic "+canary)
		do(h.mux, "GET", path, "X-Api-Key", canary, "Cookie", "session="+canary)
		do(h.mux, "GET", path, "X-Api-Key", canary+" "+canary)
	}
	for _, method := range []string{"DELETE", "POST", "OPTIONS", "PUT"} {
		do(h.mux, method, "/access_tokens/"+canary)
		do(h.mux, method, "/grants/"+canary+":approve")
		do(h.mux, method, "/grants/"+canary)
	}
	log := h.log.String()
	if strings.Contains(log, canary) {
		i := strings.Index(log, canary)
		t.Errorf("a secret is in the log: …%s…", log[max(0, i-300):i+20])
	}
	if !strings.Contains(log, "a=1") || !strings.Contains(log, "b=2") {
		t.Errorf("harmless parameters are gone from the log:\n%s", log)
	}
	for _, e := range h.tel.Recent() {
		if strings.Contains(fmt.Sprintf("%+v", e), canary) {
			t.Errorf("a secret is among the recent requests: %+v", e)
		}
	}
}

func TestMaxBytesOfOtherReaders(t *testing.T) {
	t.Parallel()
	h := build(t,
		[]route.Route{{Method: "POST", Pattern: "/x", Name: "X", MaxBody: 5,
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				_, err := io.Copy(io.Discard, r.Body)
				return err
			}}, {Method: "POST", Pattern: "/free", Name: "Free", MaxBody: -1,
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				_, err := io.Copy(w, r.Body)
				return err
			}}})
	r := httptest.NewRequest("POST", "/x", struct{ io.Reader }{bytes.NewReader(make([]byte, 100))})
	rec := httptest.NewRecorder()
	h.mux.ServeHTTP(rec, r)
	if rec.Code != 413 {
		t.Errorf("body of unknown length: got %d, want 413", rec.Code)
	}
	if got := doBody(h.mux, "POST", "/free", strings.Repeat("x", 2<<20)); got.Body.Len() != 2<<20 {
		t.Errorf("unlimited body: got %d bytes, want %d", got.Body.Len(), 2<<20)
	}
}

package sharedpage_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/telemetry/sharedpage"
)

// TestOnePageForMany: all who ask while a page is made get one page, which was begun after they asked.
func TestOnePageForMany(t *testing.T) {
	t.Parallel()
	var made, value atomic.Int64
	begun, finish := make(chan struct{}, 10), make(chan struct{})
	handler := sharedpage.Handler(clock.Real(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		made.Add(1)
		n := value.Load()
		begun <- struct{}{}
		<-finish
		_, _ = fmt.Fprint(w, n) // to memory
	}))
	var all sync.WaitGroup
	var waits waiting
	ask := func(want string) {
		all.Go(func() {
			if w := get(handler, "", &waits); w.Code != http.StatusOK || w.Body.String() != want {
				t.Errorf("%d %q, want %q", w.Code, w.Body, want)
			}
		})
	}
	ask("0")
	<-begun
	value.Store(1)
	for range 100 {
		ask("1")
	}
	waits.until(99) // one of them will make the page
	close(finish)
	all.Wait()
	if n := made.Load(); n != 2 {
		t.Errorf("%d pages were made, want 2", n)
	}
}

// TestPause: after a page none is made for seven times as long, and those who ask meanwhile share the next.
func TestPause(t *testing.T) {
	t.Parallel()
	c := clock.NewVirtual(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
	var made atomic.Int64
	handler := sharedpage.Handler(c, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		made.Add(1)
		c.Advance(10 * time.Millisecond)
		_, _ = io.WriteString(w, "page") // to memory
	}))
	get(handler, "", nil)
	var all sync.WaitGroup
	var waits waiting
	for range 50 {
		all.Go(func() { get(handler, "", &waits) })
	}
	waits.until(49) // one of them will make the page
	for found := false; !found; {
		_, found = c.NextDue()
		<-time.After(time.Millisecond)
	}
	c.Advance(69 * time.Millisecond)
	if n := made.Load(); n != 1 {
		t.Errorf("%d pages were made before the pause was over", n)
	}
	c.Advance(time.Millisecond)
	all.Wait()
	if n := made.Load(); n != 2 {
		t.Errorf("%d pages were made, want 2", n)
	}
}

// TestForms: who takes gzip gets it, and no other parameter makes a page of its own.
func TestForms(t *testing.T) {
	t.Parallel()
	handler := sharedpage.Handler(clock.Real(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", r.Header.Get("Accept-Encoding"))
		w.WriteHeader(http.StatusAccepted)
		_, _ = fmt.Fprint(w, r.URL, r.Header) // to memory
	}))
	for accepts, want := range map[string]string{
		"": "", "gzip": "gzip", "br, gzip;q=0.5": "gzip", "gzip;q=0": "", "identity": "", "zstd": "", "GZIP": "gzip",
	} {
		w := get(handler, accepts, nil)
		if got := w.Header().Get("Content-Encoding"); got != want || w.Code != http.StatusAccepted {
			t.Errorf("%q: %d in %q, want %q", accepts, w.Code, got, want)
		}
		if n := w.Header().Get("Content-Length"); n != fmt.Sprint(w.Body.Len()) {
			t.Errorf("%q: a length of %s, and %d bytes", accepts, n, w.Body.Len())
		}
	}
}

// TestLeft: a client that leaves gets nothing, and a page that is not whole is none.
func TestLeft(t *testing.T) {
	t.Parallel()
	broken := true
	handler := sharedpage.Handler(clock.Real(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half") // to memory
		if broken {
			panic("broken")
		}
	}))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the server is not told of a panic")
			}
		}()
		get(handler, "", nil)
	}()
	broken = false
	if w := get(handler, "", nil); w.Code != http.StatusOK || w.Body.String() != "half" {
		t.Errorf("after a panic: %d %q", w.Code, w.Body)
	}
}

func get(handler http.Handler, accepts string, waits *waiting) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/metrics?name[]=x", nil)
	if accepts != "" {
		r.Header.Set("Accept-Encoding", accepts)
	}
	if waits != nil {
		r = r.WithContext(&counted{r.Context(), waits})
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// waiting is how many requests wait for a page.
type waiting struct{ n atomic.Int64 }

func (w *waiting) until(n int64) {
	for w.n.Load() < n {
		<-time.After(time.Millisecond)
	}
}

// counted notes that a request waits.
type counted struct {
	context.Context
	waits *waiting
}

func (c *counted) Done() <-chan struct{} {
	c.waits.n.Add(1)
	return c.Context.Done()
}

package route_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route"
)

// TestAnnouncedBodies has one network and one account that announce large bodies and send a
// byte of each: others send theirs meanwhile.
func TestAnnouncedBodies(t *testing.T) {
	t.Parallel()
	o := budget.MemoryOptions(1) // the smallest
	o.Wait = 0
	pool := budget.New(o)
	begun := make(chan struct{})
	h := build(t, []route.Route{{
		Method: "POST", Pattern: "/x", Name: "x", Access: route.Optional, MaxBody: 8 << 20,
		Handle: func(_ http.ResponseWriter, r *route.Request) error {
			first := make([]byte, 1)
			_, err := io.ReadFull(r.Body, first)
			if err == nil && first[0] == 's' {
				begun <- struct{}{}
			}
			_, _ = io.Copy(io.Discard, r.Body) // the slow ones are cut off in the end
			return err
		},
	}}, func(o *route.Options) { o.Memory = pool })
	ask := func(token, address string, body io.Reader, length int64) int {
		r := httptest.NewRequest("POST", "/x", body)
		r.ContentLength, r.RemoteAddr = length, address+":80"
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		rec := httptest.NewRecorder()
		h.mux.ServeHTTP(rec, r)
		return rec.Code
	}
	var group sync.WaitGroup
	var ends []*io.PipeWriter
	for _, token := range []string{"", "ann"} {
		for range 30 {
			body, end := io.Pipe()
			ends = append(ends, end)
			done := make(chan struct{})
			group.Go(func() {
				defer close(done)
				ask(token, "192.0.2.1", body, 2<<20)
			})
			go func() { _, _ = io.WriteString(end, "s") }() // a refused one is not read
			select {
			case <-begun:
			case <-done:
			}
		}
	}
	text := strings.Repeat("x", 6<<10)
	for name, row := range map[string]struct{ token, address string }{
		"another account": {"bob", "192.0.2.1"}, "another network": {"", "192.0.2.2"},
	} {
		if got := ask(row.token, row.address, strings.NewReader(text), int64(len(text))); got != http.StatusOK {
			t.Errorf("%s: %d, want 200", name, got)
		}
	}
	for _, end := range ends {
		_ = end.CloseWithError(io.ErrUnexpectedEOF)
	}
	group.Wait()
	if pool.Used() != 0 {
		t.Errorf("%d bytes are still held", pool.Used())
	}
}

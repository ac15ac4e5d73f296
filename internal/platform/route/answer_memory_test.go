package route_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database/rowmemory"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// readRows is what a query of a request does with its rows.
func readRows(ctx context.Context, bytes int64) error {
	memory, ok := ctx.Value(rowmemory.Key()).(rowmemory.Memory)
	if !ok {
		return nil
	}
	return memory.HoldRows(ctx, bytes)
}

// TestAnswersAreWeighed: rows that are read for a request, and its answer, take of the memory that all share, and are
// refused where it is used up.
func TestAnswersAreWeighed(t *testing.T) {
	t.Parallel()
	o := budget.MemoryOptions(1) // the smallest: 64 MiB, of which one network may have 20
	o.Wait = 0
	pool := budget.New(o)
	var held int64
	h := build(t, []route.Route{
		{Method: "GET", Pattern: "/rows", Name: "rows", Handle: func(w http.ResponseWriter, r *route.Request) error {
			if err := readRows(r.Context(), 1<<20); err != nil {
				return err
			}
			if err := readRows(r.Context(), 2<<20); err != nil {
				return err
			}
			held = pool.Used()
			return wire.WriteBytes(w, r.Request, http.StatusOK, "", []byte("{}"))
		}},
		{Method: "GET", Pattern: "/most", Name: "most", Handle: func(_ http.ResponseWriter, r *route.Request) error {
			return readRows(r.Context(), 1<<30)
		}},
		{Method: "GET", Pattern: "/answer", Name: "answer", Handle: func(w http.ResponseWriter, r *route.Request) error {
			defer func() { held = pool.Used() }()
			return wire.WriteBytes(w, r.Request, http.StatusOK, "image/png", bytes.Repeat([]byte("x"), 4<<20))
		}},
		{Method: "POST", Pattern: "/answer", Name: "done", Handle: func(w http.ResponseWriter, r *route.Request) error {
			return wire.WriteBytes(w, r.Request, http.StatusOK, "image/png", bytes.Repeat([]byte("x"), 4<<20))
		}},
		{Method: "GET", Pattern: "/streams", Name: "streams", Streams: true,
			Handle: func(_ http.ResponseWriter, r *route.Request) error { return readRows(r.Context(), 1<<30) }},
	}, func(o *route.Options) { o.Memory = pool })
	ask := func(method, path string) int {
		held = 0
		rec := httptest.NewRecorder()
		h.mux.ServeHTTP(rec, httptest.NewRequest(method, path, nil))
		if pool.Used() != 0 {
			t.Errorf("%s %s: %d bytes are still held", method, path, pool.Used())
		}
		return rec.Code
	}
	if got := ask("GET", "/rows"); got != 200 || held < 8<<20 || held > 9<<20 {
		t.Errorf("rows of 2 MiB: %d, and %d kB held; want 8 MiB", got, held>>10)
	}
	if got := ask("GET", "/most"); got != http.StatusTooManyRequests {
		t.Errorf("more rows than there may be: %d, want 429", got)
	}
	if got := ask("GET", "/answer"); got != 200 || held != 4<<20 {
		t.Errorf("an answer of 4 MiB: %d, and %d kB held", got, held>>10)
	}
	if got := ask("GET", "/streams"); got != 200 {
		t.Errorf("rows of a stream: %d", got)
	}

	busy, err := pool.Take(t.Context(), budget.Address("192.0.2.1"), 19<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		method, path string
		want         int
	}{{"GET", "/rows", 429}, {"GET", "/answer", 429}, {"POST", "/answer", 200}} {
		rec := httptest.NewRecorder()
		h.mux.ServeHTTP(rec, httptest.NewRequest(row.method, row.path, nil))
		if rec.Code != row.want {
			t.Errorf("%s %s of one who has all of a share: %d, want %d", row.method, row.path, rec.Code, row.want)
		}
	}
	busy.Release()
}

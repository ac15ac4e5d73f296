package limit

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/fuzztest"
)

func TestSaveAndLoad(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		fixed := Window{Name: "f", Limit: 5, Per: time.Hour, Penalty: Penalty{After: 2, Base: time.Hour}}
		aligned := Window{Name: "a", Limit: 5, Per: time.Hour, Aligned: true}
		brief := Window{Name: "b", Limit: 5, Per: time.Second}
		// Enough for several pages; PostgreSQL has none.
		keys := 3000
		if w.db.Engine() == database.Postgres {
			keys = 30
		}
		for n := range keys {
			w.take(fixed, fmt.Sprint(n), int64(n%6))
		}
		for range 3 {
			w.take(fixed, "5", 1)
			w.take(aligned, "k", 1)
			w.clock.Advance(time.Minute)
		}
		w.take(brief, "k", 5)
		w.clock.Advance(time.Minute)
		if err := w.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
		// A second save replaces the first.
		if err := w.Save(t.Context()); err != nil {
			t.Fatal(err)
		}

		next := &world{Limiter: New(Options{DB: w.db, Clock: w.clock}), t: t, clock: w.clock, db: w.db}
		if err := next.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		for n := range keys {
			old, err1 := w.Peek(t.Context(), fixed, fmt.Sprint(n))
			got, err2 := next.Peek(t.Context(), fixed, fmt.Sprint(n))
			if err1 != nil || err2 != nil || got != old {
				t.Fatalf("key %d after a restart: %+v, want %+v (%v, %v)", n, got, old, err1, err2)
			}
		}
		if d := next.take(fixed, "5", 1); !d.Banned {
			t.Errorf("the ban is forgotten: %+v", d)
		}
		if d := next.take(aligned, "k", 2); !d.Allowed || d.Used != 5 {
			t.Errorf("aligned: %+v, want 5 used", d)
		}
		if d := next.take(aligned, "k", 1); d.Allowed || d.RetryAfter != 55*time.Minute+30*time.Second {
			t.Errorf("aligned is full: %+v, want a wait of 55 minutes and a half", d)
		}
	})
}

// TestSaveWritesOnlyChanges: who forks a world again and again must find its database
// as it was left.
func TestSaveWritesOnlyChanges(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.db.Engine() == database.Postgres {
			return
		}
		win := Window{Name: "f", Limit: 5, Per: time.Hour}
		commits := func(ctx context.Context, wantErr bool) int64 {
			t.Helper()
			before := w.db.Stats().Commits
			if err := w.Save(ctx); (err != nil) != wantErr {
				t.Fatalf("save: %v", err)
			}
			return w.db.Stats().Commits - before
		}
		want := func(what string, got, want int64) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %d commits, want %d", what, got, want)
			}
		}
		want("nothing charged", commits(t.Context(), false), 0)
		d := w.take(win, "k", 2)
		want("a charge", commits(t.Context(), false), 1)
		want("nothing since", commits(t.Context(), false), 0)
		if _, err := w.Peek(t.Context(), win, "k"); err != nil {
			t.Fatal(err)
		}
		want("a look", commits(t.Context(), false), 0)
		if _, err := w.Refund(t.Context(), win, "k", 1, d); err != nil {
			t.Fatal(err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		want("a save that failed", commits(ended, true), 0)
		want("the one after it", commits(t.Context(), false), 1)
	})
}

func TestLoadRefusesDamage(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{
		"unknown tag": append([]byte{9}, make([]byte, 40)...),
		"cut id":      {tagFixed, 1, 2},
		"cut counter": append([]byte{tagFixed}, make([]byte, 17)...),
		"cut ban":     append([]byte{tagFixed}, make([]byte, 16+5)...),
		"long number": append(append([]byte{tagFixed}, make([]byte, 16)...), bytes.Repeat([]byte{0xff}, 20)...),
	} {
		if err := newWorld(t, nil, 0).memory.restore(body); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func FuzzRestore(f *testing.F) {
	w := newWorld(f, nil, 0)
	w.take(Window{Name: "f", Limit: 5, Per: time.Hour}, "k", 1)
	w.take(Window{Name: "a", Limit: 5, Per: time.Hour, Aligned: true}, "k", 1)
	pages, _ := w.memory.pages()
	fuzztest.Bytes(f, pages...)
	f.Fuzz(func(t *testing.T, body []byte) {
		_ = newWorld(t, nil, 64).memory.restore(body) // must not panic
	})
}

func TestSweepOnPostgres(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.db.Engine() != database.Postgres {
			return
		}
		for n := range 50 {
			w.take(Window{Name: "f", Limit: 5, Per: time.Minute}, fmt.Sprint(n), 1)
			w.take(Window{Name: "a", Limit: 5, Per: time.Minute, Aligned: true}, fmt.Sprint(n), 1)
		}
		w.take(Window{Name: "long", Limit: 5, Per: time.Hour}, "k", 1)
		if _, _, err := w.Gate(t.Context(), "g", "k", 1); err != nil {
			t.Fatal(err)
		}
		rows := func() (n int) {
			t.Helper()
			err := w.db.QueryRow(t.Context(), `SELECT (SELECT COUNT(*) FROM stoa_limits) + (SELECT COUNT(*) FROM stoa_limit_gates)`).Scan(&n)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if err := w.shared.sweep(t.Context()); err != nil || rows() != 102 {
			t.Errorf("sweep of live rows: %v, left %d; want all 102", err, rows())
		}
		w.clock.Advance(10 * time.Minute)
		if err := w.shared.sweep(t.Context()); err != nil || rows() != 1 {
			t.Errorf("sweep: %v, left %d; want one", err, rows())
		}
	})
}

package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

func TestDedupe(t *testing.T) {
	t.Parallel()
	t.Run("keeps one waiting job", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			w.define(Kind[note]{Name: "b"}, nil)
			ids := w.put(
				Enqueue{Kind: "a", Payload: note{1}, Dedupe: "x", At: epoch.Add(time.Hour)},
				Enqueue{Kind: "a", Payload: note{2}, Dedupe: "x"},
				Enqueue{Kind: "a", Payload: note{3}, Dedupe: "y"},
				Enqueue{Kind: "b", Payload: note{4}, Dedupe: "x"},
				Enqueue{Kind: "a", Payload: note{5}},
			)
			if ids[0] != ids[1] {
				t.Errorf("got ids %v, want the first two alike", ids)
			}
			w.settle()
			// The earlier time of both counts; the payload is the first one's.
			if got, want := w.numbers(), []int{1, 3, 4, 5}; !slices.Equal(got, want) {
				t.Errorf("ran %v, want %v", got, want)
			}
			again := w.put(Enqueue{Kind: "a", Payload: note{6}, Dedupe: "x"})
			if again[0] == ids[0] {
				t.Errorf("a finished job's id came back")
			}
		})
	})

	t.Run("a running job does not count as waiting", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			fail := true
			w.Register(Define(Kind[note]{Name: "a", Run: func(ctx context.Context, j Job, p note) error {
				w.note(j, p)
				if p.N > 1 || !fail {
					return nil
				}
				fail = false
				err := w.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
					_, err := w.Enqueue(ctx, tx, Enqueue{Kind: "a", Payload: note{2}, Dedupe: "x", At: epoch.Add(time.Second)})
					return err
				})
				return RetryAfter(errors.Join(err, errors.New("fails while the other waits")), time.Minute)
			}}))
			w.put(Enqueue{Kind: "a", Payload: note{1}, Dedupe: "x"})
			if err := w.AdvanceTo(t.Context(), w.clock, epoch.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			if got, want := w.numbers(), []int{1, 2, 1}; !slices.Equal(got, want) {
				t.Errorf("ran %v, want %v", got, want)
			}
		})
	})

	t.Run("holds under concurrency", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			var group sync.WaitGroup
			for n := range 16 {
				group.Go(func() { w.put(Enqueue{Kind: "a", Payload: note{n}, Dedupe: "x", Key: fmt.Sprint(n % 2)}) })
			}
			group.Wait()
			w.settle()
			if got := w.numbers(); len(got) != 1 {
				t.Errorf("ran %v, want one", got)
			}
		})
	})
}

func TestEnqueue(t *testing.T) {
	t.Parallel()
	t.Run("is undone with its transaction", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			undo := errors.New("undo")
			err := w.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
				if _, err := w.Enqueue(t.Context(), tx, Enqueue{Kind: "a", Payload: note{1}}); err != nil {
					return err
				}
				return undo
			})
			if !errors.Is(err, undo) {
				t.Fatalf("write: got %v, want %v", err, undo)
			}
			w.settle()
			if got := w.numbers(); len(got) != 0 {
				t.Errorf("ran %v, want nothing", got)
			}
		})
	})

	t.Run("refuses mistakes", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			w.Register(Define(Kind[string]{Name: "text", Run: func(context.Context, Job, string) error { return nil }}))
			for name, e := range map[string]Enqueue{
				"unknown kind":  {Kind: "b", Payload: note{}},
				"wrong payload": {Kind: "a", Payload: 12},
				"huge payload":  {Kind: "text", Payload: strings.Repeat("x", maxPayload)},
			} {
				err := w.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
					_, err := w.Enqueue(t.Context(), tx, e)
					return err
				})
				if err == nil {
					t.Errorf("%s: got no error", name)
				}
			}
			if got := w.counts(); len(got) != 0 {
				t.Errorf("left: %v, want nothing", got)
			}
		})
	})
}

func TestRegisterRefusesMistakes(t *testing.T) {
	t.Parallel()
	for name, fn := range map[string]func(q *Queue){
		"no run function": func(*Queue) { Define(Kind[note]{Name: "a"}) },
		"no name":         func(*Queue) { Define(Kind[note]{Run: func(context.Context, Job, note) error { return nil }}) },
		"no definition":   func(q *Queue) { q.Register(Registration{}) },
		"twice": func(q *Queue) {
			k := Define(Kind[note]{Name: "a", Run: func(context.Context, Job, note) error { return nil }})
			q.Register(k, k)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("got no panic")
				}
			}()
			fn(newTestQueue(t, nil, nil).Queue)
		})
	}
}

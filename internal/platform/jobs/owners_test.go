package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/store"
	"stoa.dev/stoa/internal/platform/limit"
)

func TestWaitingPerOwner(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		w.define(Kind[note]{Name: "a", Concurrency: 2, PerOwner: Share{Waiting: 3}}, nil)
		for range 3 {
			w.put(Enqueue{Kind: "a", Payload: note{1}, Owner: "ada", Dedupe: "x"}, Enqueue{Kind: "a", Payload: note{1}})
			w.put(Enqueue{Kind: "a", Payload: note{1}, Owner: "bob"})
		}
		w.put(Enqueue{Kind: "a", Payload: note{1}, Owner: "ada"}, Enqueue{Kind: "a", Payload: note{1}, Owner: "ada"})
		w.put(Enqueue{Kind: "a", Payload: note{1}, Owner: "ada", Dedupe: "x"}) // joins the one that waits
		err := w.db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, err := w.Enqueue(t.Context(), tx, Enqueue{Kind: "a", Payload: note{1}, Owner: "ada"})
			return err
		})
		var full *limit.Exceeded
		if !errors.As(err, &full) || full.Limit != 3 || full.RetryAfter < time.Second {
			t.Errorf("one more: got %v, want *limit.Exceeded of 3", err)
		}
		w.put(Enqueue{Kind: "a", Payload: note{1}, Owner: "ada", Follows: true}) // takes the place of a running one
		w.settle()
		w.put(Enqueue{Kind: "a", Payload: note{1}, Owner: "ada"})
	})
}

// Transactions that run at once do not pass the bound together, whatever their
// isolation.
func TestWaitingPerOwnerIsExact(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		const writers, most = 4, 2
		w.define(Kind[note]{Name: "a", Concurrency: 2, PerOwner: Share{Waiting: most}}, nil)
		var begun, done sync.WaitGroup
		if w.db.Engine() == database.Postgres {
			begun.Add(writers) // SQLite has one writer: they cannot meet
		}
		errs := make([]error, writers)
		for i := range writers {
			done.Go(func() {
				var met sync.Once
				add := func(ctx context.Context, tx *database.Tx) error {
					if w.db.Engine() == database.Postgres {
						// A snapshot is taken with the first statement.
						if _, err := store.CountOwned(t.Context(), tx, "a", "ada", 1); err != nil {
							return err
						}
						met.Do(func() { begun.Done(); begun.Wait() })
					}
					_, err := w.Enqueue(t.Context(), tx, Enqueue{Kind: "a", Payload: note{i}, Owner: "ada"})
					return err
				}
				if i%2 == 0 {
					errs[i] = w.db.WriteKeyed(t.Context(), fmt.Sprint("writer ", i), add)
				} else {
					errs[i] = w.db.Write(t.Context(), add)
				}
			})
		}
		done.Wait()
		added := 0
		for i, err := range errs {
			var full *limit.Exceeded
			switch {
			case err == nil:
				added++
			case !errors.As(err, &full):
				t.Errorf("writer %d: %v", i, err)
			}
		}
		if added != most {
			t.Errorf("%d transactions added a job, want %d", added, most)
		}
	})
}

// turns is a kind whose jobs tell when they begin and wait to be let go.
type turns struct {
	began chan string
	let   chan struct{}
}

func (w *testQueue) turns(k Kind[note]) turns {
	tr := turns{began: make(chan string), let: make(chan struct{})}
	k.Run = func(ctx context.Context, j Job, p note) error {
		for _, step := range []func() bool{
			func() bool {
				select {
				case tr.began <- j.Owner:
					return true
				case <-ctx.Done():
					return false
				}
			},
			func() bool {
				select {
				case <-tr.let:
					return true
				case <-ctx.Done():
					return false
				}
			},
		} {
			if !step() {
				return ctx.Err()
			}
		}
		return nil
	}
	w.Register(Define(k))
	return tr
}

func (w *testQueue) fill(owner string, n int) {
	all := make([]Enqueue, n)
	for i := range all {
		all[i] = Enqueue{Kind: "a", Payload: note{i}, Owner: owner}
	}
	w.put(all...)
}

// An owner with a full queue delays another's single job by one job at most.
func TestOwnersTakeTurns(t *testing.T) {
	for _, row := range []struct {
		name  string
		share Share
		lets  int // jobs that end before the single one begins
	}{
		{"not at all below the share", Share{Running: 1}, 0},
		{"by one job", Share{Running: 2}, 1},
		{"by one job when only waiting is bounded", Share{Waiting: 1000}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			each(t, func(t *testing.T, w *testQueue) {
				tr := w.turns(Kind[note]{Name: "a", Concurrency: 2, PerOwner: row.share})
				w.fill("ada", 500)
				stop, cancel := context.WithCancel(t.Context())
				if err := w.Start(stop, 1); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { cancel(); w.stop() })
				for range min(w.kinds["a"].Share.Running, 2) {
					if got := <-tr.began; got != "ada" {
						t.Fatalf("%s began, want ada", got)
					}
				}
				w.fill("bob", 1)
				for range row.lets {
					tr.let <- struct{}{}
				}
				if got := <-tr.began; got != "bob" {
					t.Errorf("%s began, want bob", got)
				}
			})
		})
	}
}

// Three owners with work are served in turn, whatever the length of their queues.
func TestOwnersRound(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		tr := w.turns(Kind[note]{Name: "a", Concurrency: 1, PerOwner: Share{Running: 1}})
		w.fill("ada", 300)
		w.fill("bob", 4)
		w.fill("cleo", 4)
		w.put(Enqueue{Kind: "a", Payload: note{0}, Owner: "dan", At: epoch.Add(time.Hour)}) // has nothing due
		stop, cancel := context.WithCancel(t.Context())
		if err := w.Start(stop, 1); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cancel(); w.stop() })
		var got []string
		for range 12 {
			got = append(got, <-tr.began)
			tr.let <- struct{}{}
		}
		counts := map[string]int{}
		for _, owner := range got {
			counts[owner]++
		}
		if counts["ada"] != 4 || counts["bob"] != 4 || counts["cleo"] != 4 {
			t.Errorf("served %v, want each four times", got)
		}
	})
}

// More owners than one statement visits are all served, each within its share.
func TestManyOwners(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		var mu sync.Mutex
		running, most, total := map[string]int{}, 0, 0
		all := make(chan struct{})
		const owners, jobs = 300, 3 // a statement visits 256
		w.Register(Define(Kind[note]{Name: "a", Concurrency: 16, PerOwner: Share{Running: 2},
			Run: func(_ context.Context, j Job, _ note) error {
				mu.Lock()
				running[j.Owner]++
				most = max(most, running[j.Owner])
				mu.Unlock()
				<-time.After(time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				running[j.Owner]--
				if total++; total == owners*jobs {
					close(all)
				}
				return nil
			}}))
		for i := range owners {
			w.fill(fmt.Sprintf("owner%03d", i), jobs)
		}
		w.start(1)
		select {
		case <-all:
		case <-time.After(guard):
			t.Fatal("not all jobs ran")
		}
		if most > 2 {
			t.Errorf("%d jobs of one owner ran at once, want 2 at most", most)
		}
	})
}

// What an owner has claimed ahead keeps to its share, and out of the way of others:
// while jobs of one owner end as fast as they can, each job of another begins.
func TestClaimedAheadKeepsToTheShare(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		var mu sync.Mutex
		running, most, total := 0, 0, 0
		all, single := make(chan struct{}), make(chan struct{})
		const jobs = 400
		run := func(_ context.Context, j Job, _ note) error {
			if j.Owner == "bob" {
				single <- struct{}{}
				return nil
			}
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			<-time.After(time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			running--
			if total++; total == jobs {
				close(all)
			}
			return nil
		}
		w.Register(Define(Kind[note]{Name: "a", Concurrency: 4, PerOwner: Share{Running: 2}, Run: run}))
		w.fill("ada", jobs)
		w.start(1)
		for range 10 {
			w.fill("bob", 1)
			select {
			case <-single:
			case <-time.After(guard):
				t.Fatal("bob's job did not begin")
			}
		}
		select {
		case <-all:
		case <-time.After(guard):
			t.Fatal("not all jobs ran")
		}
		if most > 2 {
			t.Errorf("%d jobs of one owner ran at once, want 2 at most", most)
		}
	})
}

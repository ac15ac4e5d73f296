package jobs

import (
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

func TestSchedules(t *testing.T) {
	plan := []Schedule{
		{Name: "quarters", Spec: "0 */6 * * *", Kind: "a", Payload: note{1}},
		{Name: "beat", Spec: "@every 7h", Kind: "a", Payload: note{2}},
		{Name: "nightly", Spec: "30 3 * * *", Kind: "a", Payload: note{3}},
	}
	write := func(t *testing.T, w *testQueue) {
		t.Helper()
		for _, s := range plan {
			if err := w.Schedule(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
	}
	month := epoch.Add(30 * 24 * time.Hour)
	count := func(runs []ran) (n [4]int) {
		for _, r := range runs {
			n[r.N]++
		}
		return n
	}

	t.Run("fire over thirty days in order", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			write(t, w)
			if err := w.AdvanceTo(t.Context(), w.clock, month); err != nil {
				t.Fatal(err)
			}
			runs := w.runs()
			if got, want := count(runs), [4]int{0, 120, 102, 30}; got != want {
				t.Errorf("fired %v times, want %v", got, want)
			}
			for i, r := range runs {
				if !r.At.Equal(r.Asked) {
					t.Fatalf("firing %d of %s ran at %s", i, r.Asked, r.At)
				}
				if i > 0 && r.At.Before(runs[i-1].At) {
					t.Fatalf("firing %d at %s came after %s", i, r.At, runs[i-1].At)
				}
			}
		})
	})

	t.Run("missed moments become one", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			write(t, w)
			w.clock.Set(month)
			w.settle()
			if got, want := count(w.runs()), [4]int{0, 1, 1, 1}; got != want {
				t.Errorf("fired %v times, want %v", got, want)
			}
			// The interval keeps its beat: 103 times 7 hours after the start.
			if at, want := w.nextSchedule(), month.Add(time.Hour); !at.Equal(want) {
				t.Errorf("next due %s, want %s", at, want)
			}
			var next time.Time
			err := w.db.QueryRow(t.Context(),
				`SELECT next FROM stoa_schedules WHERE name = 'beat'`).Scan(database.ScanTime(&next))
			if want := epoch.Add(103 * 7 * time.Hour); err != nil || !next.Equal(want) {
				t.Errorf("beat is next at %s, %v; want its 103rd at %s", next, err, want)
			}
		})
	})

	t.Run("many processes fire once", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			all := []*testQueue{w, w.another(), w.another(), w.another()}
			for _, q := range all {
				q.define(Kind[note]{Name: "a"}, nil)
				write(t, q)
			}
			total := 0
			for quarter := range 6 {
				w.clock.Set(epoch.Add(time.Duration(quarter+1) * 6 * time.Hour))
				var group sync.WaitGroup
				for _, q := range all {
					group.Go(q.settle)
				}
				group.Wait()
				for _, q := range all {
					total += count(q.runs())[1]
				}
				if want := quarter + 1; total != want {
					t.Fatalf("fired %d times after %d quarters of a day, want %d", total, quarter+1, want)
				}
			}
		})
	})

	t.Run("change and end", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			write(t, w)
			w.clock.Advance(30 * time.Minute)
			write(t, w) // unchanged: the beat goes on
			if got, want := w.nextSchedule(), epoch.Add(6*time.Hour); !got.Equal(want) {
				t.Errorf("next %s, want %s", got, want)
			}
			if err := w.Schedule(t.Context(), Schedule{Name: "quarters", Spec: "@every 1m", Kind: "a",
				Payload: note{1}}); err != nil {
				t.Fatal(err)
			}
			if got, want := w.nextSchedule(), epoch.Add(31*time.Minute); !got.Equal(want) {
				t.Errorf("next %s after the change, want %s", got, want)
			}
			for _, s := range plan {
				if err := w.Unschedule(t.Context(), s.Name); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Unschedule(t.Context(), "quarters"); err != ErrNotFound {
				t.Errorf("second unschedule: %v, want ErrNotFound", err)
			}
			if at := w.nextSchedule(); !at.Equal(database.MaxTime()) {
				t.Errorf("next after the end: %s, want none", at)
			}
		})
	})

	t.Run("workers fire them", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			w.start(2)
			write(t, w)
			w.clock.Advance(6 * time.Hour)
			w.until("the firing", func() bool { return len(w.runs()) == 1 })
		})
	})

	t.Run("kinds that are not registered do not fire", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			write(t, w)
			other := w.another()
			other.define(Kind[note]{Name: "b"}, nil)
			w.clock.Advance(24 * time.Hour)
			other.settle()
			if got := w.counts(); len(got) != 0 {
				t.Errorf("enqueued %v, want nothing", got)
			}
		})
	})

	t.Run("refuse mistakes", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, nil)
			for _, s := range []Schedule{
				{Name: "x", Spec: "@hourly", Kind: "b"}, {Name: "x", Spec: "soon", Kind: "a"},
				{Name: "x", Spec: "@hourly", Kind: "a", Payload: 1},
			} {
				if err := w.Schedule(t.Context(), s); err == nil {
					t.Errorf("%+v: got no error", s)
				}
			}
			var stored int
			err := w.db.QueryRow(t.Context(), `SELECT COUNT(*) FROM stoa_schedules`).Scan(&stored)
			if err != nil || stored != 0 {
				t.Errorf("stored %d schedules, %v; want none", stored, err)
			}
		})
	})
}

// TestAdvanceJobs: schedules fire once over a long way, jobs keep their times.
func TestAdvanceJobs(t *testing.T) {
	month := epoch.Add(30 * 24 * time.Hour)
	each(t, func(t *testing.T, w *testQueue) {
		w.define(Kind[note]{Name: "a"}, nil)
		for name, spec := range map[string]string{"six": "@every 6h", "nightly": "@daily"} {
			if err := w.Schedule(t.Context(), Schedule{Name: name, Spec: spec, Kind: "a", Payload: note{1}}); err != nil {
				t.Fatal(err)
			}
		}
		w.put(Enqueue{Kind: "a", Payload: note{0}, At: epoch.Add(50 * time.Hour)})
		w.start(2)
		var mu sync.Mutex
		var watched []Ran
		stop := w.Watch(func(r Ran) {
			mu.Lock()
			defer mu.Unlock()
			watched = append(watched, r)
		})
		if err := w.AdvanceJobsTo(t.Context(), w.clock, month); err != nil {
			t.Fatal(err)
		}
		stop()
		if runs := w.runs(); len(runs) != 3 || runs[0].N != 0 || !runs[0].At.Equal(epoch.Add(50*time.Hour)) {
			t.Errorf("ran %+v, want the job at its own time and each schedule once", runs)
		}
		if len(watched) != 3 || watched[0].Kind != "a" || watched[0].Outcome != "done" || watched[0].At.IsZero() {
			t.Errorf("watched %+v, want the three runs", watched)
		}
		if n, err := w.CountDue(t.Context()); n != 0 || err != nil {
			t.Errorf("%d are due, %v; want none", n, err)
		}
		w.clock.Advance(24 * time.Hour)
		w.settle()
		if runs := w.runs(); len(runs) == 0 {
			t.Error("after the long way schedules fire no more")
		}
	})
}

// nextSchedule is when the first schedule fires.
func (w *testQueue) nextSchedule() time.Time {
	w.t.Helper()
	at, err := store.NextSchedule(w.t.Context(), w.db, w.queueKinds().all)
	if err != nil {
		w.t.Fatal(err)
	}
	return at
}

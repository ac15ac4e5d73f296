package limit

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// crowd calls fn from 64 goroutines, on two processes where there can be two,
// until each has called it n times, and counts the calls that were admitted.
func crowd(t *testing.T, w *world, n int, fn func(l *Limiter, caller int) error) int64 {
	t.Helper()
	limiters := []*Limiter{w.Limiter, w.another()}
	var admitted atomic.Int64
	var group sync.WaitGroup
	for caller := range 64 {
		group.Go(func() {
			for range n {
				err := fn(limiters[caller%2], caller)
				var exceeded *Exceeded
				switch {
				case err == nil:
					admitted.Add(1)
				case !errors.As(err, &exceeded):
					t.Errorf("caller %d: %v", caller, err)
				}
			}
		})
	}
	group.Wait()
	return admitted.Load()
}

func TestNeverOneTooMany(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, win := range []Window{
			{Name: "fixed", Limit: 100, Per: time.Hour},
			{Name: "aligned", Limit: 100, Per: time.Hour, Aligned: true},
			{Name: "penalty", Limit: 100, Per: time.Hour, Penalty: Penalty{After: 1000, Base: time.Hour}},
		} {
			w.run(win.Name, func(t *testing.T, w *world) {
				got := crowd(t, w, 3, func(l *Limiter, _ int) error {
					_, err := l.Take(t.Context(), win, "k", 1)
					return err
				})
				if got != win.Limit {
					t.Errorf("admitted %d, want exactly %d", got, win.Limit)
				}
			})
		}

		w.run("several budgets at once", func(t *testing.T, w *world) {
			wide := Window{Name: "wide", Limit: 100, Per: time.Hour}
			narrow := Window{Name: "narrow", Limit: 30, Per: time.Hour}
			got := crowd(t, w, 3, func(l *Limiter, caller int) error {
				// Opposite orders: locks must not meet crosswise.
				charges := []Charge{{wide, "k", 1}, {narrow, fmt.Sprint(caller % 5), 1}}
				if caller%2 == 0 {
					charges[0], charges[1] = charges[1], charges[0]
				}
				_, err := l.TakeAll(t.Context(), charges)
				return err
			})
			if got != 100 {
				t.Errorf("admitted %d, want exactly 100", got)
			}
			d, err := w.Peek(t.Context(), wide, "k")
			if err != nil || d.Used != 100 {
				t.Errorf("used %d, %v; want 100", d.Used, err)
			}
			var narrowUsed int64
			for key := range 5 {
				d, err := w.Peek(t.Context(), narrow, fmt.Sprint(key))
				if err != nil || d.Used > 30 {
					t.Errorf("key %d: used %d, %v; want at most 30", key, d.Used, err)
				}
				narrowUsed += d.Used
			}
			if narrowUsed != 100 {
				t.Errorf("narrow budgets were charged %d in all, want 100: all or nothing", narrowUsed)
			}
		})

		w.run("gate", func(t *testing.T, w *world) {
			var inside, most atomic.Int64
			crowd(t, w, 5, func(l *Limiter, _ int) error {
				release, _, err := l.Gate(t.Context(), "g", "k", 10)
				if err != nil {
					return err
				}
				if n := inside.Add(1); n > 10 {
					most.Store(n)
				}
				inside.Add(-1)
				release()
				return nil
			})
			if n := most.Load(); n > 10 {
				t.Errorf("%d inside at once, want at most 10", n)
			}
			for n := int64(1); n <= 10; n++ {
				if _, d, err := w.Gate(t.Context(), "g", "k", 10); err != nil || d.Used != n {
					t.Fatalf("afterwards holder %d: %+v, %v; want all released", n, d, err)
				}
			}
		})
	})
}

func TestClockJumps(t *testing.T) {
	const per = time.Hour
	each(t, func(t *testing.T, w *world) {
		for _, jump := range []time.Duration{
			-time.Second, -per + 1, -per, -per - 1, -24 * time.Hour, -87600 * time.Hour, time.Second, per - 1,
		} {
			key := jump.String()
			w.run(key, func(t *testing.T, w *world) {
				for _, win := range []Window{
					{Name: "fixed", Limit: 2, Per: per},
					{Name: "banning", Limit: 2, Per: per, Penalty: Penalty{After: 100, Base: per}},
				} {
					w.clock.Set(epoch)
					w.take(win, key, 2)
					w.clock.Advance(jump)
					d := w.take(win, key, 1)
					if d.Allowed {
						t.Errorf("%s opened", win.Name)
					}
					if d.RetryAfter > per || d.RetryAfter <= 0 || d.Reset.After(w.clock.Now().Add(per)) {
						t.Errorf("%s asks to wait %s until %s, want at most %s", win.Name, d.RetryAfter, d.Reset, per)
					}
					w.clock.Advance(d.RetryAfter)
					if d := w.take(win, key, 1); !d.Allowed {
						t.Errorf("%s is still closed after the wait it asked for", win.Name)
					}
				}
			})
		}

		w.run("over the start of an aligned window", func(t *testing.T, w *world) {
			win := Window{Name: "aligned", Limit: 2, Per: per, Aligned: true}
			start := epoch.Truncate(per)
			w.clock.Set(start.Add(time.Second))
			w.take(win, "k", 2)
			for _, step := range []struct {
				at      time.Duration
				allowed bool
			}{{-time.Second, false}, {2 * time.Second, false}, {per - 1, false}, {per, true}} {
				w.clock.Set(start.Add(step.at))
				if d := w.take(win, "k", 1); d.Allowed != step.allowed {
					t.Errorf("%s after the start: allowed %t, want %t", step.at, d.Allowed, step.allowed)
				}
			}
			w.take(win, "k", 1)
			w.clock.Advance(-24 * time.Hour)
			d := w.take(win, "k", 1)
			if d.Allowed || d.RetryAfter > per {
				t.Errorf("a day back: %+v, want refused for at most %s", d, per)
			}
			w.clock.Advance(d.RetryAfter)
			if d := w.take(win, "k", 1); !d.Allowed {
				t.Errorf("still closed after the wait it asked for: %+v", d)
			}
		})

		w.run("bans end", func(t *testing.T, w *world) {
			win := Window{Name: "b", Limit: 1, Per: time.Second, Penalty: Penalty{After: 2, Base: per}}
			for range 3 {
				w.take(win, "k", 1)
			}
			w.clock.Advance(-24 * time.Hour)
			d := w.take(win, "k", 1)
			if !d.Banned || d.RetryAfter != per {
				t.Errorf("after the jump: %+v, want banned for %s", d, per)
			}
			w.clock.Advance(per)
			if d := w.take(win, "k", 1); !d.Allowed {
				t.Errorf("after the ban: %+v, want allowed", d)
			}
		})

		w.run("holders of a gate leave", func(t *testing.T, w *world) {
			release, _, err := w.Gate(t.Context(), "g", "k", 1)
			if err != nil {
				t.Fatal(err)
			}
			w.clock.Advance(-24 * time.Hour)
			if _, _, err := w.Gate(t.Context(), "g", "k", 1); err == nil {
				t.Errorf("a jump back opened the gate")
			}
			release()
			w.clock.Advance(defaultGateLease)
			if _, _, err := w.Gate(t.Context(), "g", "k", 1); err != nil {
				t.Errorf("after the release: %v", err)
			}
		})
	})
}

// Requests overtake each other on the way to the row, so a holder may be
// followed by one whose clock said less. Both must find themselves again.
func TestGateOvertaken(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		later, _, err := w.Gate(t.Context(), "g", "k", 2)
		if err != nil {
			t.Fatal(err)
		}
		w.clock.Advance(-time.Millisecond)
		earlier, _, err := w.Gate(t.Context(), "g", "k", 2)
		if err != nil {
			t.Fatal(err)
		}
		later()
		earlier()
		if _, d, err := w.Gate(t.Context(), "g", "k", 2); err != nil || d.Used != 1 {
			t.Errorf("after both left: %+v, %v; want the gate empty but for one", d, err)
		}
	})
}

// Refusals that are answered by reading must not outlive their reason.
func TestRefusedKeysOpenAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		win := Window{Name: "w", Limit: 2, Per: time.Hour}
		first := w.take(win, "k", 2)
		for range 3 {
			w.want("hammering", w.take(win, "k", 1), false, 2, 0, time.Hour, time.Hour)
		}
		if _, err := w.another().Refund(t.Context(), win, "k", 1, first); err != nil {
			t.Fatal(err)
		}
		w.want("after a refund elsewhere", w.take(win, "k", 1), true, 2, 0, time.Hour, 0)
		w.take(win, "k", 1)
		if d, err := w.Spend(t.Context(), win, "k", 1); err != nil || d.Used != 3 {
			t.Errorf("spend: %+v, %v; want 3 used", d, err)
		}
		w.clock.Advance(time.Hour)
		w.want("in the next window", w.take(win, "k", 1), true, 1, 1, 2*time.Hour, 0)
	})
}

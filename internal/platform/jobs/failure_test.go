package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestRetries(t *testing.T) {
	t.Parallel()
	t.Run("wait by the back-off", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a", MaxAttempts: 6}, func(Job, note) error { return errors.New("no luck") })
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			if err := w.AdvanceTo(t.Context(), w.clock, epoch.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			runs := w.runs()
			if len(runs) != 6 || !runs[0].At.Equal(epoch) {
				t.Fatalf("ran %+v, want six attempts, the first at once", runs)
			}
			for n, want := 1, time.Second; n < 6; n, want = n+1, 2*want {
				got := runs[n].At.Sub(runs[n-1].At)
				if runs[n].Attempt != n+1 || got < want*9/10-time.Microsecond || got > want*11/10 {
					t.Errorf("attempt %d came after %s, want about %s", runs[n].Attempt, got, want)
				}
			}
			i := w.only()
			if i.State != Dead || i.Error != "no luck" || !i.FailedAt.Equal(runs[5].At) || i.Attempt != 6 {
				t.Errorf("is %s after attempt %d with %q at %s, want dead, 6, no luck, %s", i.State, i.Attempt, i.Error, i.FailedAt,
					runs[5].At)
			}
		})
	})

	t.Run("wait as the error says", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.define(Kind[note]{Name: "a"}, func(j Job, _ note) error {
				if j.Attempt == 1 {
					return fmt.Errorf("wrapped: %w", RetryAfter(errors.New("busy"), 90*time.Second))
				}
				return nil
			})
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			w.settle()
			if i := w.only(); !i.ClaimAt.Equal(epoch.Add(90*time.Second)) || i.Error != "wrapped: busy" {
				t.Errorf("next at %s with %q, want 90 s later and the error", i.ClaimAt, i.Error)
			}
			w.clock.Advance(90 * time.Second)
			w.settle()
			if got := w.counts(); len(got) != 0 {
				t.Errorf("left: %v, want nothing", got)
			}
		})
	})

	t.Run("do not count what could not begin", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			busy := 3
			w.define(Kind[note]{Name: "a", MaxAttempts: 1}, func(Job, note) error {
				if busy--; busy >= 0 {
					return fmt.Errorf("wrapped: %w", Postpone(errors.New("busy"), time.Minute))
				}
				return errors.New("no luck")
			})
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			w.settle()
			if i := w.only(); i.State != Ready || i.Attempt != 0 || i.Error != "" || !i.ClaimAt.Equal(epoch.Add(time.Minute)) {
				t.Errorf("is %s after attempt %d with %q until %s, want ready, 0, no error, a minute later", i.State, i.Attempt,
					i.Error, i.ClaimAt)
			}
			if err := w.AdvanceTo(t.Context(), w.clock, epoch.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			if i := w.only(); i.State != Dead || i.Attempt != 1 || !i.FailedAt.Equal(epoch.Add(3*time.Minute)) {
				t.Errorf("is %s after attempt %d at %s, want dead after 1 at 3 min", i.State, i.Attempt, i.FailedAt)
			}
			if got := w.Stats(); got.Failed != 0 || got.Dead != 1 {
				t.Errorf("%d failed and %d dead, want 0 and 1", got.Failed, got.Dead)
			}
		})
	})

	for name, run := range map[string]func() error{
		"permanent errors":       func() error { return fmt.Errorf("wrapped: %w", Permanent(errors.New("gone"))) },
		"unreadable payloads":    nil, // see below
		"the end of a goroutine": func() error { runtime.Goexit(); return nil },
		"panics":                 func() error { panic("at\x00 the\xff disco") },
	} {
		t.Run("survive "+name, func(t *testing.T) {
			each(t, func(t *testing.T, w *testQueue) {
				want := Ready
				switch {
				case name == "permanent errors":
					want = Dead
					fallthrough
				case run != nil:
					w.define(Kind[note]{Name: "a"}, func(Job, note) error { return run() })
					w.put(Enqueue{Kind: "a", Payload: note{1}})
				default:
					want = Dead
					old := w.another()
					old.Register(Define(Kind[string]{Name: "a", Run: func(context.Context, Job, string) error { return nil }}))
					old.put(Enqueue{Kind: "a", Payload: "text"})
					w.define(Kind[note]{Name: "a"}, nil)
				}
				w.settle()
				if i := w.only(); i.State != want || i.Error == "" || i.Attempt != 1 {
					t.Errorf("is %s after attempt %d with %q, want %s, 1 and an error", i.State, i.Attempt, i.Error, want)
				}
			})
		})
	}

	t.Run("end a job in time", func(t *testing.T) {
		each(t, func(t *testing.T, w *testQueue) {
			w.Register(Define(Kind[note]{Name: "a", Timeout: time.Millisecond,
				Run: func(ctx context.Context, _ Job, _ note) error {
					<-ctx.Done()
					return ctx.Err()
				}}))
			w.put(Enqueue{Kind: "a", Payload: note{1}})
			w.settle()
			if i := w.only(); i.State != Ready || !strings.HasPrefix(i.Error, "timed out after 1ms") {
				t.Errorf("is %s with %q, want ready and a timeout", i.State, i.Error)
			}
		})
	})
}

func TestDeadJobsAreDropped(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		w.define(Kind[note]{Name: "a"}, func(Job, note) error { return Permanent(errors.New("no")) })
		w.put(Enqueue{Kind: "a", Payload: note{1}})
		w.settle()
		w.clock.Advance(defaultKeepDead)
		w.put(Enqueue{Kind: "a", Payload: note{2}})
		w.settle()
		if got := w.counts()["a dead"]; got != 2 {
			t.Errorf("%d dead jobs after 30 days, want 2", got)
		}
		w.clock.Advance(time.Second)
		w.put(Enqueue{Kind: "a", Payload: note{3}})
		w.settle()
		if got := w.counts()["a dead"]; got != 2 {
			t.Errorf("%d dead jobs after 30 days and a second, want 2", got)
		}
	})
}

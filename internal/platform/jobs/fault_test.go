package jobs

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// TestFault checks that a run that a fault takes over is retried, or comes later.
func TestFault(t *testing.T) {
	each(t, func(t *testing.T, w *testQueue) {
		var outcomes []error
		w.opts.Fault = func(job Job, payload []byte) error {
			if job.Kind != "test.fault" || string(payload) != `{"N":7}` {
				t.Errorf("asked about %+v with %s", job, payload)
			}
			if len(outcomes) == 0 {
				return nil
			}
			next := outcomes[0]
			outcomes = outcomes[1:]
			return next
		}
		w.define(Kind[note]{Name: "test.fault"}, nil)
		outcomes = []error{errors.New("no power"), Postpone(errors.New("later"), time.Hour)}
		w.put(Enqueue{Kind: "test.fault", Payload: note{7}})
		w.settle()
		if got := w.numbers(); len(got) != 0 || w.counts()["test.fault ready"] != 1 {
			t.Fatalf("ran %v, counts %v; want a retry to come", got, w.counts())
		}
		w.clock.Advance(time.Minute)
		w.settle()
		if got := w.numbers(); len(got) != 0 {
			t.Fatalf("ran %v before the delay was over", got)
		}
		w.clock.Advance(time.Hour)
		w.settle()
		if got := w.numbers(); !slices.Equal(got, []int{7}) {
			t.Errorf("ran %v, want one run in the end", got)
		}
	})
}

package liveness_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/liveness"
)

var errStanding = errors.New("stands still")

// base is a database that can be stopped.
type base struct{ stopped atomic.Bool }

func (b *base) ping(ctx context.Context) error {
	if !b.stopped.Load() {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

// call waits until its context ends or d has passed.
func call(m *liveness.Monitor, d time.Duration) (time.Duration, error) {
	began := time.Now()
	c, ctx, err := m.Begin(context.Background())
	if err != nil {
		return time.Since(began), err
	}
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(d):
	}
	return time.Since(began), c.End(err)
}

func TestMonitor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b base
		m := liveness.Start(liveness.Options{Ping: b.ping, Err: errStanding})
		defer m.Close()
		if took, err := call(m, time.Minute); err != nil || took != time.Minute {
			t.Errorf("a slow call of a living database: %v after %s", err, took)
		}
		b.stopped.Store(true)
		if took, err := call(m, time.Hour); !errors.Is(err, errStanding) || took > 6*time.Second {
			t.Errorf("a call of a standing database: %v after %s, want it given up after 5 s", err, took)
		}
		if took, err := call(m, time.Hour); !errors.Is(err, errStanding) || took > 0 {
			t.Errorf("the next call: %v after %s, want it refused at once", err, took)
		}
		b.stopped.Store(false)
		<-time.After(2 * time.Second)
		if _, err := call(m, time.Second); err != nil {
			t.Errorf("after the database went on: %v", err)
		}
	})
}

// TestQuestionThatIsLost: a question that a dead connection took does not keep the end of
// the silence from being heard, and the silence is told once.
func TestQuestionThatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b base
		b.stopped.Store(true)
		silences := 0
		// Questions that are put during the silence are never answered.
		m := liveness.Start(liveness.Options{Ping: b.ping, Err: errStanding, Silent: func() { silences++ }})
		defer m.Close()
		if _, err := call(m, time.Hour); !errors.Is(err, errStanding) {
			t.Fatalf("a call of a standing database: %v", err)
		}
		<-time.After(10*time.Second + 500*time.Millisecond) // a question has just been put
		b.stopped.Store(false)
		<-time.After(1100 * time.Millisecond)
		if took, err := call(m, time.Second); err != nil {
			t.Errorf("a second after the silence: %v after %s", err, took)
		}
		if silences != 1 {
			t.Errorf("the silence was told %d times, want once", silences)
		}
	})
}

// TestRefusalIsNoSilence: a ping that is refused says that calls hear for themselves.
func TestRefusalIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuse := func(context.Context) error { return errors.New("too many connections") }
		m := liveness.Start(liveness.Options{Ping: refuse, Err: errStanding})
		defer m.Close()
		if took, err := call(m, time.Minute); err != nil {
			t.Errorf("%v after %s, want the call left alone", err, took)
		}
	})
}

// TestSlowAnswers: a database that answers every question late is alive.
func TestSlowAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(context.Context) error {
			<-time.After(2500 * time.Millisecond)
			return nil
		}
		m := liveness.Start(liveness.Options{Ping: slow, Err: errStanding})
		defer m.Close()
		if took, err := call(m, time.Minute); err != nil {
			t.Errorf("%v after %s, want the call left alone", err, took)
		}
	})
}

// heldUp is the clock of a process that is held up: its timers are noticed late.
type heldUp struct {
	clock.Clock
	late atomic.Int64
}

// NewTimer implements clock.Clock.
func (h *heldUp) NewTimer(d time.Duration) *clock.Timer {
	return h.Clock.NewTimer(d + time.Duration(h.late.Load()))
}

// TestHeldUp: a database is not taken for dead because the process that asks it gets no
// processor, and is given up nevertheless if it never answers.
func TestHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b base
		h := &heldUp{Clock: clock.Real()}
		slow := func(ctx context.Context) error {
			if !b.stopped.Load() {
				<-time.After(20 * time.Second) // as late as everything else
			}
			return b.ping(ctx)
		}
		m := liveness.Start(liveness.Options{Ping: slow, Err: errStanding, Clock: h})
		defer m.Close()
		h.late.Store(int64(2 * time.Second))
		if took, err := call(m, time.Minute); err != nil {
			t.Errorf("a process that is held up: %v after %s, want its call left alone", err, took)
		}
		b.stopped.Store(true)
		if took, err := call(m, time.Hour); !errors.Is(err, errStanding) || took > 5*time.Minute {
			t.Errorf("a database that never answers: %v after %s", err, took)
		}
		h.late.Store(0)
	})
}

// TestOwnEnd: the caller's own end is told as it is.
func TestOwnEnd(t *testing.T) {
	var b base
	m := liveness.Start(liveness.Options{Ping: b.ping, Err: errStanding})
	defer m.Close()
	ctx, cancel := context.WithCancel(t.Context())
	c, inner, err := m.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-inner.Done()
	if err := c.End(inner.Err()); !errors.Is(err, context.Canceled) || errors.Is(err, errStanding) {
		t.Errorf("got %v, want canceled", err)
	}
	var none *liveness.Monitor
	if call, _, err := none.Begin(t.Context()); err != nil || call.End(nil) != nil {
		t.Error("a nil monitor must do nothing")
	}
}

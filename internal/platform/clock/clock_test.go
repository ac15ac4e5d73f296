package clock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

func start() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func TestVirtual(t *testing.T) {
	t.Parallel()

	t.Run("stands still", func(t *testing.T) {
		t.Parallel()
		v := clock.NewVirtual(start())
		if got := v.Now(); !got.Equal(start()) {
			t.Fatalf("Now = %v, want %v", got, start())
		}
	})

	t.Run("fires in due order with the due time", func(t *testing.T) {
		t.Parallel()
		v := clock.NewVirtual(start())
		late, early := v.NewTimer(2*time.Second), v.NewTimer(time.Second)
		v.Advance(3 * time.Second)
		if got, want := <-early.C, start().Add(time.Second); !got.Equal(want) {
			t.Errorf("early fired at %v, want %v", got, want)
		}
		if got, want := <-late.C, start().Add(2*time.Second); !got.Equal(want) {
			t.Errorf("late fired at %v, want %v", got, want)
		}
		if got, want := v.Now(), start().Add(3*time.Second); !got.Equal(want) {
			t.Errorf("Now = %v, want %v", got, want)
		}
	})

	t.Run("does not fire early", func(t *testing.T) {
		t.Parallel()
		v := clock.NewVirtual(start())
		timer := v.NewTimer(time.Minute)
		v.Advance(time.Minute - 1)
		select {
		case at := <-timer.C:
			t.Fatalf("fired at %v", at)
		default:
		}
	})

	t.Run("a stopped timer stays silent", func(t *testing.T) {
		t.Parallel()
		v := clock.NewVirtual(start())
		timer := v.NewTimer(time.Minute)
		if !timer.Stop() {
			t.Fatal("first Stop = false, want true")
		}
		if timer.Stop() {
			t.Fatal("second Stop = true, want false")
		}
		v.Advance(time.Hour)
		if len(timer.C) != 0 {
			t.Fatal("a stopped timer fired")
		}
	})

	t.Run("going back keeps due times", func(t *testing.T) {
		t.Parallel()
		v := clock.NewVirtual(start())
		timer := v.NewTimer(time.Minute)
		v.Set(start().Add(-time.Hour))
		v.Advance(time.Hour)
		if len(timer.C) != 0 {
			t.Fatal("fired before its due time")
		}
		v.Advance(time.Minute)
		if len(timer.C) != 1 {
			t.Fatal("did not fire at its due time")
		}
	})
}

func TestSleep(t *testing.T) {
	t.Parallel()

	t.Run("a cancelled context ends the wait", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := clock.Sleep(ctx, clock.NewVirtual(start()), time.Hour)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("err = %v, want canceled", err)
		}
	})

	t.Run("the virtual clock ends the wait", func(t *testing.T) {
		t.Parallel()
		v := clock.NewVirtual(start())
		done := make(chan error)
		go func() { done <- clock.Sleep(t.Context(), v, time.Hour) }()
		for {
			if _, waiting := v.NextDue(); waiting {
				break
			}
		}
		v.Advance(time.Hour)
		if err := <-done; err != nil {
			t.Fatalf("err = %v, want nil", err)
		}
	})
}

func TestReal(t *testing.T) {
	t.Parallel()
	c := clock.Real()
	if zone := c.Now().Location(); zone != time.UTC {
		t.Errorf("zone = %v, want UTC", zone)
	}
	before := c.Now()
	<-c.NewTimer(time.Millisecond).C
	if took := c.Now().Sub(before); took < time.Millisecond {
		t.Errorf("timer fired after %v, want at least 1ms", took)
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	v := clock.NewVirtual(start())
	timer := v.NewTimer(time.Hour)
	v.Run(3600 * 1000) // an hour in a millisecond
	if got := <-timer.C; !got.Equal(start().Add(time.Hour)) {
		t.Errorf("the timer of a running clock fired at %v, want its due time", got)
	}
	if mode, rate := v.Mode(); mode != clock.ModeRunning || rate != 3600*1000 {
		t.Errorf("mode = %v at %v, want running", mode, rate)
	}
	v.Freeze()
	at := v.Now()
	if !at.After(start().Add(time.Hour)) || !v.Now().Equal(at) {
		t.Errorf("frozen at %v, then %v; want one time after the hour", at, v.Now())
	}
	v.RunReal()
	if d := clock.Real().Now().Sub(v.Now()).Abs(); d > time.Minute {
		t.Errorf("a real clock is %v away from the machine's", d)
	}
	short := v.NewTimer(time.Millisecond)
	<-short.C
	v.Set(start())
	if mode, rate := v.Mode(); mode != clock.ModeRunning || rate != 1 {
		t.Errorf("mode after Set of a real clock = %v at %v, want running at 1", mode, rate)
	}
	if d := v.Now().Sub(start()); d < 0 || d > time.Minute {
		t.Errorf("Now is %v after what was set", d)
	}
}

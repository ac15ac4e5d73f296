package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// TestRunningLong: a fast clock goes on past what a Duration holds, whether it was read meanwhile or not, and stands
// still at the last time.
func TestRunningLong(t *testing.T) {
	const day = 86400
	for name, every := range map[string]time.Duration{"read": 10 * time.Minute, "not read": 30 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := clock.NewVirtual(start())
				v.Run(day)
				before := v.Now()
				for passed := time.Duration(0); passed < 60*time.Hour; passed += every {
					<-time.After(every)
					if now := v.Now(); now.Before(before) {
						t.Fatalf("after %v the clock went from %v back to %v", passed+every, before, now)
					}
					before = v.Now()
				}
				if want := start().AddDate(0, 0, 60*3600); !before.Equal(want) {
					t.Errorf("a day a second for 60 hours is %v, want %v", before, want)
				}
				timer := v.NewTimer(100 * 365 * 24 * time.Hour)
				<-timer.C
				<-time.After(40 * 24 * time.Hour)
				if now := v.Now(); !now.Equal(clock.Last()) {
					t.Errorf("at the end of time it is %v, want %v", now, clock.Last())
				}
				v.Freeze()
				if now := v.Now(); !now.Equal(clock.Last()) {
					t.Errorf("frozen at the end of time it is %v, want %v", now, clock.Last())
				}
			})
		})
	}
}

// TestSlow: a clock may be so slow that a timer is further away than a Duration holds.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := clock.NewVirtual(start())
		v.Run(1e-9)
		if got := v.Until(start().Add(time.Hour)); got < 100*365*24*time.Hour {
			t.Errorf("an hour of a clock that hardly moves is away %v", got)
		}
		for range 1000 { // reading it does not keep it where it is
			<-time.After(time.Second)
			v.Now()
		}
		if got := v.Now().Sub(start()); got != 1000 {
			t.Errorf("it moved by %v, want 1µs", got)
		}
	})
}

// TestUntil: how long the machine waits for a time of the clock.
func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := clock.NewVirtual(start())
		later := start().Add(time.Hour)
		if got := v.Until(later); got < 100*365*24*time.Hour {
			t.Errorf("a frozen clock is there after %v", got)
		}
		if got := v.Until(start()); got > 0 {
			t.Errorf("what is due waits for %v", got)
		}
		v.Run(3600)
		if got := v.Until(later); got != time.Second {
			t.Errorf("an hour at an hour a second takes %v", got)
		}
		v.RunReal()
		if got := v.Until(v.Now().Add(time.Minute)); got != time.Minute {
			t.Errorf("a minute of the machine's clock takes %v", got)
		}
		v.Set(clock.Last())
		if got := v.Until(clock.Last().Add(1)); got < 100*365*24*time.Hour {
			t.Errorf("a time that never comes is away %v", got)
		}
	})
}

// TestAfter: what a rate makes of the machine's time.
func TestAfter(t *testing.T) {
	for name, c := range map[string]struct {
		at      time.Time
		elapsed time.Duration
		rate    float64
		want    time.Time
	}{
		"exact":        {start(), 123456789, 1, start().Add(123456789)},
		"far":          {start(), 30 * time.Hour, 86400, start().AddDate(0, 0, 30*3600)},
		"end of time":  {start(), 1 << 62, 1e6, clock.Last()},
		"past the end": {clock.Last().Add(time.Hour), time.Hour, 1, clock.Last().Add(time.Hour)},
		"back":         {start(), -time.Hour, 60, start()},
	} {
		if got := clock.After(c.at, c.elapsed, c.rate); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

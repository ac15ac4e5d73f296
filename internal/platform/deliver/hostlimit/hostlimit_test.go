package hostlimit

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

const (
	perOwner = 16
	perHost  = 64
)

// A host that hangs, with many messages, is looked at no more often than one with few.
func TestManyWaitForOneHost(t *testing.T) {
	t.Parallel()
	const host, many = "example.com", 100 * perOwner
	l := New(Limits{PerOwner: perOwner, PerHost: perHost})
	var leave func()
	for range perOwner {
		if leave, _ = l.Enter(t.Context(), "ada", host, false); leave == nil {
			t.Fatal("refused by an empty host")
		}
	}
	looks := func(back bool) (rate float64) {
		for range many {
			leave, pause := l.Enter(t.Context(), "ada", host, back)
			if leave != nil {
				t.Fatal("began at a full host")
			}
			if pause < busyPause || pause > maxPause {
				t.Fatalf("refused for %s, want %s to %s", pause, busyPause, maxPause)
			}
			rate += float64(time.Second) / float64(pause)
		}
		return rate
	}
	looks(false) // The first ones cannot know how many will come.
	if got, limit := looks(true), 2*float64(perOwner)*float64(time.Second/stuckPause); got > limit {
		t.Errorf("%d messages look %.0f times a second, want at most %.0f", many, got, limit)
	}
	leave()
	if again, _ := l.Enter(t.Context(), "ada", host, true); again == nil {
		t.Error("refused although one has left")
	}
	if other, _ := l.Enter(t.Context(), "ada", "example.org", false); other == nil {
		t.Error("refused by another host")
	}
	if other, _ := l.Enter(t.Context(), "bob", host, false); other == nil {
		t.Error("another owner was refused")
	}
}

// Owners that fill a host leave a place to one that has none there, up to a bound.
func TestFullHost(t *testing.T) {
	t.Parallel()
	const host = "example.com"
	l := New(Limits{PerOwner: perOwner, PerHost: perHost})
	for i := range perHost {
		if leave, _ := l.Enter(t.Context(), fmt.Sprint("full", i/perOwner), host, false); leave == nil {
			t.Fatalf("the %d. call was refused, want %d", i+1, perHost)
		}
	}
	for i := range perHost {
		if leave, _ := l.Enter(t.Context(), fmt.Sprint("new", i), host, false); leave == nil {
			t.Fatalf("the first call of new owner %d was refused", i)
		}
	}
	if leave, _ := l.Enter(t.Context(), "late", host, false); leave != nil {
		t.Errorf("began at a host with %d calls, want a bound", 2*perHost)
	}
	if leave, _ := l.Enter(t.Context(), "new0", host, false); leave != nil {
		t.Error("a second call began at a full host")
	}
}

// When calls that hung have ended and others hang in their place, no further one waits for them: those that wait are
// workers which the owner's other hosts do not get.
func TestNoneWaitsForAHostThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New(Limits{PerOwner: perOwner, PerHost: perHost})
		waited := func() time.Duration {
			begin := clock.Real().Now()
			if leave, _ := l.Enter(t.Context(), "ada", "example.com", false); leave != nil {
				t.Fatal("began at a full host")
			}
			return clock.Real().Now().Sub(begin)
		}
		fill := func() (all []func()) {
			for range perOwner {
				leave, _ := l.Enter(t.Context(), "ada", "example.com", false)
				if leave == nil {
					t.Fatal("refused by an empty host")
				}
				all = append(all, leave)
			}
			return all
		}
		running := fill()
		if got := waited(); got != patience {
			t.Errorf("the first at a full host waits %v, want %v", got, patience)
		}
		for range 3 {
			if err := clock.Sleep(t.Context(), clock.Real(), 15*time.Second); err != nil {
				t.Fatal(err)
			}
			for _, leave := range running {
				leave()
			}
			running = fill()
			if got := waited(); got != 0 {
				t.Errorf("after calls that hung one waits %v for the next that hang", got)
			}
		}
		running[0]() // in no time: the host is well
		if leave, _ := l.Enter(t.Context(), "ada", "example.com", true); leave == nil {
			t.Fatal("refused although one has left")
		}
		if got := waited(); got != patience {
			t.Errorf("one waits %v for a host that answers, want %v", got, patience)
		}
	})
}

// Hosts that hung and are not called again are forgotten.
func TestHostsAreForgotten(t *testing.T) {
	t.Parallel()
	l := New(Limits{PerOwner: 1, PerHost: 1})
	for i := range 2 * maxHosts {
		h, o := l.find(fmt.Sprint("host", i), "ada")
		o.users, o.stuck, o.postponed = 1, true, 1
		l.drop(fmt.Sprint("host", i), "ada", h, o)
	}
	if n := len(l.hosts); n > maxHosts {
		t.Errorf("%d hosts are kept, want at most %d", n, maxHosts)
	}
}

package deliver

import (
	"fmt"
	"testing"
	"time"
)

// A receiver that hangs, with many messages, is looked at no more often than one with few.
func TestManyWaitForOneReceiver(t *testing.T) {
	t.Parallel()
	const address, many = "https://example.com/hook", 100 * perOwnerReceiver
	g := newGate()
	var leave func()
	for range perOwnerReceiver {
		if leave, _ = g.enter(t.Context(), "ada", address, false); leave == nil {
			t.Fatal("sent away from an empty receiver")
		}
	}
	looks := func(back bool) (rate float64) {
		for range many {
			leave, pause := g.enter(t.Context(), "ada", address, back)
			if leave != nil {
				t.Fatal("entered a full receiver")
			}
			if pause < busyPause || pause > longestPause {
				t.Fatalf("sent away for %s, want %s to %s", pause, busyPause, longestPause)
			}
			rate += float64(time.Second) / float64(pause)
		}
		return rate
	}
	looks(false) // The first ones cannot know how many will come.
	if got, most := looks(true), 2*float64(perOwnerReceiver)*float64(time.Second/busyPause); got > most {
		t.Errorf("%d messages look %.0f times a second, want at most %.0f", many, got, most)
	}
	leave()
	if again, _ := g.enter(t.Context(), "ada", address, true); again == nil {
		t.Error("sent away although one has left")
	}
	if other, _ := g.enter(t.Context(), "ada", "https://example.org/", false); other == nil {
		t.Error("sent away from another receiver")
	}
	if other, _ := g.enter(t.Context(), "bob", address, false); other == nil {
		t.Error("another owner was sent away")
	}
}

// Owners that fill a host leave a place to one that has none there, up to a bound.
func TestFullHost(t *testing.T) {
	t.Parallel()
	const address = "https://example.com/hook"
	g := newGate()
	for i := range perReceiver {
		if leave, _ := g.enter(t.Context(), fmt.Sprint("full", i/perOwnerReceiver), address, false); leave == nil {
			t.Fatalf("the %d. call was sent away, want %d", i+1, perReceiver)
		}
	}
	for i := range perReceiver {
		if leave, _ := g.enter(t.Context(), fmt.Sprint("new", i), address, false); leave == nil {
			t.Fatalf("the first call of new owner %d was sent away", i)
		}
	}
	if leave, _ := g.enter(t.Context(), "late", address, false); leave != nil {
		t.Errorf("entered a host with %d calls, want a bound", mostPerReceiver)
	}
	if leave, _ := g.enter(t.Context(), "new0", address, false); leave != nil {
		t.Error("a second call entered a full host")
	}
}

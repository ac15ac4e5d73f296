package deliver

import (
	"testing"
	"time"
)

// A receiver that hangs, with many messages, is looked at no more often than one with few.
func TestManyWaitForOneReceiver(t *testing.T) {
	t.Parallel()
	const address, many = "https://example.com/hook", 100 * perReceiver
	g := newGate()
	var leave func()
	for range perReceiver {
		if leave, _ = g.enter(t.Context(), address, false); leave == nil {
			t.Fatal("sent away from an empty receiver")
		}
	}
	looks := func(back bool) (rate float64) {
		for range many {
			leave, pause := g.enter(t.Context(), address, back)
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
	if got, most := looks(true), 2*float64(perReceiver)*float64(time.Second/busyPause); got > most {
		t.Errorf("%d messages look %.0f times a second, want at most %.0f", many, got, most)
	}
	leave()
	if again, _ := g.enter(t.Context(), address, true); again == nil {
		t.Error("sent away although one has left")
	}
	if other, _ := g.enter(t.Context(), "https://example.org/", false); other == nil {
		t.Error("sent away from another receiver")
	}
}

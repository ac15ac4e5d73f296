package backoff

import (
	"strconv"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/ids"
)

func TestWait(t *testing.T) {
	t.Parallel()
	source := ids.Seeded(7)
	for _, c := range []struct {
		attempt   int
		low, high time.Duration
	}{
		{1, 900 * time.Millisecond, 1100 * time.Millisecond},
		{2, 1800 * time.Millisecond, 2200 * time.Millisecond},
		{5, 14400 * time.Millisecond, 17600 * time.Millisecond},
		{100, 54 * time.Minute, 66 * time.Minute},
	} {
		different := false
		first := Wait("first", c.attempt, source)
		for i := range 50 {
			got := Wait(strconv.Itoa(i), c.attempt, source)
			different = different || got != first
			if got < c.low || got > c.high {
				t.Errorf("attempt %d: waits %s, want %s to %s", c.attempt, got, c.low, c.high)
			}
		}
		if !different {
			t.Errorf("attempt %d: waits %s every time, want some jitter", c.attempt, first)
		}
	}
}

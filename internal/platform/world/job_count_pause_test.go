package world

import (
	"context"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/telemetry"
)

// TestCountPause: the longer a count takes the seldomer it is made, and what is asked for
// in between is not counted again.
func TestCountPause(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]time.Duration{
		0: 5 * time.Second, 250 * time.Millisecond: 5 * time.Second, time.Second: 20 * time.Second,
		2 * time.Second: 40 * time.Second,
	} {
		if got := pause(took); got != want {
			t.Errorf("after %s: %s, want %s", took, got, want)
		}
	}
	c, counted := &jobCounts{}, 0
	for range 3 {
		got := c.readBy(nil, func(context.Context) ([]telemetry.Sample, error) {
			counted++
			c.next = time.Time{}
			return []telemetry.Sample{{Value: 7}}, nil
		})
		c.next = c.next.Add(time.Hour) // however slow the machine is
		if len(got) != 1 || got[0].Value != 7 {
			t.Errorf("got %v, want 7", got)
		}
	}
	if counted != 1 {
		t.Errorf("counted %d times, want once", counted)
	}
}

package revocation

import (
	"testing"
	"time"
)

// How long an answer is remembered. What the answers themselves mean is tested through
// deliver's client.
func TestUntil(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	for name, c := range map[string]struct{ next, want time.Time }{
		"an answer that names no end":   {time.Time{}, now.Add(maxRemembered)},
		"one that names a far end":      {now.Add(2 * maxRemembered), now.Add(maxRemembered)},
		"one that names an end by then": {now.Add(time.Hour), now.Add(time.Hour)},
	} {
		if got := until(now, c.next); !got.Equal(c.want) {
			t.Errorf("%s is remembered until %v, want %v", name, got, c.want)
		}
	}
}

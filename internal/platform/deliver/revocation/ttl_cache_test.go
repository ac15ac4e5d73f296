package revocation

import (
	"fmt"
	"testing"
	"time"
)

// What the answers themselves mean is tested through deliver's client.
func TestTTLCache(t *testing.T) {
	t.Parallel()
	const limit = 4
	now := time.Unix(1_000_000, 0)
	c := newTTLCache[int](limit)
	for i := range 3 * limit {
		c.put(fmt.Sprint(i), i, now.Add(time.Minute))
		if len(c.values) > limit {
			t.Fatalf("%d values are kept, want at most %d", len(c.values), limit)
		}
	}
	last := fmt.Sprint(3*limit - 1)
	if got, ok := c.get(last, now); !ok || got != 3*limit-1 {
		t.Errorf("get = %d, %t, want the value put last", got, ok)
	}
	if got, ok := c.get(last, now.Add(time.Minute)); ok {
		t.Errorf("get = %d at the end of its time, want nothing", got)
	}
}

package generationcache_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/snapshots/generationcache"
)

// TestReadBeforeAChange is not kept when it arrives after the change.
func TestReadBeforeAChange(t *testing.T) {
	t.Parallel()
	c := generationcache.New[int](2)
	_, before, _ := c.Get("m")
	c.Forget("m")
	c.Put("m", 1, before)
	_, now, ok := c.Get("m")
	if ok {
		t.Error("what was read before the change is kept")
	}
	c.Put("m", 2, now)
	if got, _, ok := c.Get("m"); !ok || got != 2 {
		t.Errorf("read after the change: %d, %v", got, ok)
	}
	c.Put("n", 3, now)
	c.Put("o", 4, now)
	if _, _, ok := c.Get("m"); ok {
		t.Error("more is kept than the bound allows")
	}
	c.Forget("o")
	if _, _, ok := c.Get("o"); ok {
		t.Error("what was forgotten is kept")
	}
}

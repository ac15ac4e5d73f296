package ttlcache

import (
	"fmt"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// TestForget also checks the bound of the cache.
func TestForget(t *testing.T) {
	t.Parallel()
	c := clock.NewVirtual(time.Unix(0, 0))
	k := New[int](c, 1<<20, time.Minute)
	_, mark, _ := k.Get("a")
	k.Put("a", 1, 8, mark)
	if v, _, ok := k.Get("a"); !ok || v != 1 {
		t.Errorf("got %d, %v", v, ok)
	}
	_, mark, _ = k.Get("b")
	k.Forget("b")
	k.Put("b", 2, 8, mark)
	if _, _, ok := k.Get("b"); ok {
		t.Error("a value read before the change was kept")
	}
	c.Advance(time.Hour)
	if _, _, ok := k.Get("a"); ok {
		t.Error("an old value was served")
	}
	for i := range 20000 {
		key := fmt.Sprint(i)
		_, mark, _ := k.Get(key)
		k.Put(key, i, 100, mark)
	}
	total := int64(0)
	for i := range k.shards {
		for _, e := range k.shards[i].young {
			total += e.size
		}
		for _, e := range k.shards[i].old {
			total += e.size
		}
	}
	if total > 1<<20 {
		t.Errorf("the cache holds %d bytes, want at most %d", total, 1<<20)
	}
	// One that is read again each time its time is over leaves the others alone.
	_, mark, _ = k.Get("a")
	k.Put("a", 1, 8, mark)
	shard := k.shard("a")
	young := len(shard.young)
	for range 1000 {
		c.Advance(2 * time.Minute)
		_, mark, _ := k.Get("a")
		k.Put("a", 1, 8, mark)
	}
	if got := len(shard.young); got != young {
		t.Errorf("%d entries beside it, want %d", got, young)
	}
}

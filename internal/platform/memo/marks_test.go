package memo_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/memo"
)

// marked is what both kinds of cache can do.
type marked interface {
	Look(key int) (value int, mark memo.Mark, ok bool)
	PutSince(key, value int, mark memo.Mark)
	Forget(key int)
	Clear()
	Stats() memo.Stats
}

func markedCaches(limit int) map[string]marked {
	return map[string]marked{
		"counted": memo.NewCounted[int, int](limit),
		"bytes":   memo.New(limit*1000, func(int, int) int { return 100 }),
		"sharded": memo.NewSharded(memo.Options[int, int]{Limit: limit}),
	}
}

// TestReadBeforeForget is the order that a generation is for: a row is read, it
// changes and is forgotten, and then what was read arrives.
func TestReadBeforeForget(t *testing.T) {
	t.Parallel()
	for name, c := range markedCaches(100) {
		for what, forget := range map[string]func(){"Forget": func() { c.Forget(1) }, "Clear": c.Clear} {
			_, mark, _ := c.Look(1)
			forget()
			c.PutSince(1, 7, mark)
			if _, _, ok := c.Look(1); ok {
				t.Errorf("%s: what was read before %s is kept", name, what)
			}
			_, mark, _ = c.Look(1)
			c.PutSince(1, 8, mark)
			if got, _, ok := c.Look(1); !ok || got != 8 {
				t.Errorf("%s: after %s Look = %d, %v, want what was read since", name, what, got, ok)
			}
			forget()
			if _, _, ok := c.Look(1); ok {
				t.Errorf("%s: %s left the value", name, what)
			}
		}
	}
}

// TestMarkModel reads and changes rows in any order of single steps: those who read
// look, read the row, and put it later; those who write commit the row and forget it
// later. Only between these two a cache may have what the row was before.
func TestMarkModel(t *testing.T) {
	t.Parallel()
	type read struct {
		key, value int
		mark       memo.Mark
	}
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 12).Draw(t, "limit")
		caches := markedCaches(limit)
		for _, name := range slices.Sorted(maps.Keys(caches)) {
			c := caches[name]
			rows, uncertain := map[int]int{}, map[int]int{}
			var reads []read
			keys := rapid.IntRange(0, 4)
			look := func(t *rapid.T) {
				k := keys.Draw(t, "key")
				value, mark, ok := c.Look(k)
				if !ok {
					reads = append(reads, read{k, rows[k], mark})
				} else if value != rows[k] && uncertain[k] == 0 {
					t.Fatalf("%s: Look(%d) = %d, the row is %d", name, k, value, rows[k])
				}
			}
			put := func(t *rapid.T) {
				if len(reads) == 0 {
					return
				}
				i := rapid.IntRange(0, len(reads)-1).Draw(t, "read")
				r := reads[i]
				reads = append(reads[:i], reads[i+1:]...)
				c.PutSince(r.key, r.value, r.mark)
			}
			commit := func(t *rapid.T) {
				k := keys.Draw(t, "key")
				rows[k]++
				uncertain[k]++
			}
			forget := func(t *rapid.T) {
				k := keys.Draw(t, "key")
				c.Forget(k)
				delete(uncertain, k)
			}
			clearAll := func(*rapid.T) {
				c.Clear()
				clear(uncertain)
			}
			bounded := func(t *rapid.T) {
				if s := c.Stats(); name == "counted" && s.Entries > limit || limit == 0 && s.Entries > 0 {
					t.Fatalf("%s: %d values, want at most %d", name, s.Entries, limit)
				}
			}
			t.Repeat(map[string]func(*rapid.T){
				"look": look, "put": put, "commit": commit, "forget": forget, "clear": clearAll, "": bounded,
			})
		}
	})
}

// TestConcurrentForget changes rows beside those who read them: who has forgotten a
// row finds it as it is now, or not at all.
func TestConcurrentForget(t *testing.T) {
	t.Parallel()
	for name, c := range markedCaches(100) {
		const keys, changes = 4, 3000
		var rows [keys]atomic.Int64
		var readers, writers sync.WaitGroup
		done := make(chan struct{})
		for r := range 4 {
			readers.Go(func() {
				for i := r; ; i++ {
					select {
					case <-done:
						return
					default:
					}
					if _, mark, ok := c.Look(i % keys); !ok {
						c.PutSince(i%keys, int(rows[i%keys].Load()), mark)
					}
				}
			})
		}
		for k := range keys {
			writers.Go(func() {
				for n := 1; n <= changes; n++ {
					rows[k].Store(int64(n))
					c.Forget(k)
					if got, _, ok := c.Look(k); ok && got != n {
						t.Errorf("%s: Look(%d) = %d after change %d", name, k, got, n)
						return
					}
				}
			})
		}
		writers.Wait()
		close(done)
		readers.Wait()
	}
}

func TestCounted(t *testing.T) {
	t.Parallel()
	c := memo.NewCounted[int, string](4)
	for i := range 20 {
		c.Put(i, "value")
		if s := c.Stats(); s.Entries > 4 {
			t.Fatalf("%d values are kept, want at most 4", s.Entries)
		}
		if _, ok := c.Get(i); !ok {
			t.Fatalf("value %d is gone as soon as it was put", i)
		}
	}
}

func TestSharded(t *testing.T) {
	t.Parallel()
	now := clock.NewVirtual(time.Unix(0, 0))
	const limit = 1 << 20
	c := memo.NewSharded(memo.Options[string, int]{
		Limit: limit, Cost: func(key string, n int) int { return len(key) + n }, Clock: now, TTL: time.Minute,
	})
	put := func(key string, n int) {
		_, mark, _ := c.Look(key)
		c.PutSince(key, n, mark)
	}
	put("a", 8)
	now.Advance(time.Minute - 1)
	if got, ok := c.Get("a"); !ok || got != 8 {
		t.Errorf("Get = %d, %v before the end of its time", got, ok)
	}
	now.Advance(1)
	if got, ok := c.Get("a"); ok {
		t.Errorf("Get = %d at the end of its time", got)
	}
	put("a", 9)
	if got, _ := c.Get("a"); got != 9 {
		t.Errorf("Get = %d, want the value put last", got)
	}
	put("large", limit/64)
	put("too large", limit/16)
	if _, ok := c.Get("large"); !ok {
		t.Error("a value of a quarter of a shard is not kept")
	}
	if _, ok := c.Get("too large"); ok {
		t.Error("a value of a whole shard is kept")
	}
	for i := range 20_000 {
		put(fmt.Sprint(i), 100)
	}
	s := c.Stats()
	if s.Bytes > limit || s.Bytes < limit/2 || s.Evicted == 0 {
		t.Errorf("Stats = %+v, want at most %d bytes", s, limit)
	}
	// One that is read again each time its time is over leaves the others alone.
	put("a", 8)
	before := c.Stats()
	for range 1000 {
		now.Advance(2 * time.Minute)
		put("a", 8)
	}
	if after := c.Stats(); after.Entries != before.Entries || after.Evicted != before.Evicted {
		t.Errorf("Stats = %+v, were %+v", after, before)
	}
}

func BenchmarkLook(b *testing.B) {
	type digest [32]byte
	c := memo.NewSharded(memo.Options[digest, *int]{Limit: 32768})
	var keys [1000]digest
	for i := range keys {
		keys[i] = digest{byte(i), byte(i >> 8)}
		_, mark, _ := c.Look(keys[i])
		c.PutSince(keys[i], new(int), mark)
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if _, _, ok := c.Look(keys[i%1000]); !ok {
				b.Error("missing")
			}
		}
	})
}

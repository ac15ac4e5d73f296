package memo_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"stoa.dev/stoa/internal/platform/memo"
)

type key struct {
	id, revision int
}

// newCache makes a cache of texts that cost their length.
func newCache(limit int) *memo.Cache[key, string] {
	return memo.New(limit, func(_ key, text string) int { return len(text) })
}

// emptyEntry is what the cache counts for an empty text.
func emptyEntry() int {
	c := newCache(100_000)
	c.Put(key{}, "")
	return c.Stats().Bytes
}

// TestBytesAreThoseOfTheHeap: what a cache counts is what its entries take, be they small or large.
func TestBytesAreThoseOfTheHeap(t *testing.T) {
	for _, length := range []int{0, 16, 200, 2000} {
		const entries = 20_000
		before := heapBytes()
		c := newCache(1 << 30)
		for i := range entries {
			c.Put(key{id: i}, text(length))
		}
		took, counted := heapBytes()-before, c.Stats().Bytes
		if took*10 < counted*8 || took*10 > counted*12 {
			t.Errorf("texts of %d bytes: %d bytes are counted for %d of the heap", length, counted, took)
		}
		runtime.KeepAlive(c)
	}
}

// TestTurnoverTakesNoMore: a cache takes as much after all its entries have changed a hundred times as when it was full
// for the first time.
func TestTurnoverTakesNoMore(t *testing.T) {
	before := heapBytes()
	c := newCache(1 << 20)
	turn := func(first, turns int) int {
		for i := range turns * c.Stats().Entries {
			c.Put(key{id: first + i}, "")
		}
		return heapBytes() - before
	}
	n := 0
	for c.Stats().Evicted == 0 {
		c.Put(key{id: n}, "")
		n++
	}
	full := turn(n, 1)
	if later := turn(2*n, 100); later > full*11/10 {
		t.Errorf("%d bytes after a hundred turns, %d when it was full", later, full)
	}
	runtime.KeepAlive(c)
}

func heapBytes() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func text(n int) string { return string(make([]byte, n)) }

func TestGet(t *testing.T) {
	t.Parallel()
	c := newCache(100_000)
	if _, ok := c.Get(key{1, 1}); ok {
		t.Error("Get on an empty cache found a value")
	}
	c.Put(key{1, 1}, "one")
	if got, ok := c.Get(key{1, 1}); !ok || got != "one" {
		t.Errorf("Get = %q, %v, want the value put before", got, ok)
	}
	if got, ok := c.Get(key{1, 2}); ok {
		t.Errorf("Get of the next revision = %q, want nothing", got)
	}
	c.Put(key{1, 1}, "two")
	if got, _ := c.Get(key{1, 1}); got != "two" {
		t.Errorf("Get = %q, want the value put last", got)
	}
	if got, want := c.Stats(), (memo.Stats{Entries: 1, Bytes: emptyEntry() + 3, Hits: 2, Misses: 2}); got != want {
		t.Errorf("Stats = %+v, want %+v", got, want)
	}
}

func TestGetAll(t *testing.T) {
	t.Parallel()
	c := newCache(100_000)
	c.Put(key{1, 1}, "one")
	c.Put(key{3, 1}, "three")
	got := make([]string, 3)
	missing := c.GetAll([]key{{1, 1}, {2, 1}, {3, 1}}, got)
	if missing != 1 || got[0] != "one" || got[1] != "" || got[2] != "three" {
		t.Errorf("GetAll = %d missing, %q, want the second missing", missing, got)
	}
	if s := c.Stats(); s.Hits != 2 || s.Misses != 1 {
		t.Errorf("Stats = %+v, want 2 hits and 1 miss", s)
	}
}

func TestKeepsWhatIsUsed(t *testing.T) {
	t.Parallel()
	c := newCache(100_000)
	used := key{id: -1}
	c.Put(used, text(1000))
	for i := range 1000 {
		c.Put(key{id: i}, text(1000))
		if _, ok := c.Get(used); !ok {
			t.Fatalf("the value that is used was evicted after %d others", i+1)
		}
	}
	if _, ok := c.Get(key{id: 0}); ok {
		t.Error("the oldest value that was never used is still cached")
	}
}

// TestEvictsOldRevisions changes a few keys all the time: what is cached under
// their old revisions must not push out what is still asked for.
func TestEvictsOldRevisions(t *testing.T) {
	t.Parallel()
	c := newCache(100_000)
	const stable = 50
	for revision := range 2000 {
		for id := range stable {
			if _, ok := c.Get(key{id: id}); !ok {
				if revision > 0 {
					t.Fatalf("revision %d: key %d was evicted", revision, id)
				}
				c.Put(key{id: id}, text(1000))
			}
		}
		c.Put(key{id: stable, revision: revision + 1}, text(1000))
	}
}

func TestRefusesWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	c := newCache(100_000)
	c.Put(key{id: 1}, "small")
	c.Put(key{id: 2}, text(50_000))
	if _, ok := c.Get(key{id: 2}); ok {
		t.Error("a value of half the memory was cached")
	}
	if _, ok := c.Get(key{id: 1}); !ok {
		t.Error("a large value pushed out a small one")
	}
	c.Put(key{id: 1}, text(50_000))
	if _, ok := c.Get(key{id: 1}); ok {
		t.Error("a value that became too large left the one before it")
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	c := newCache(100_000)
	c.Put(key{id: 1}, "one")
	c.Put(key{id: 2}, "two")
	c.Forget(key{id: 1})
	if _, ok := c.Get(key{id: 1}); ok {
		t.Error("a forgotten value was found")
	}
	if _, ok := c.Get(key{id: 2}); !ok {
		t.Error("another value is gone")
	}
}

// TestModel compares the cache with a map that forgets nothing: a value is the
// last one put, or missing; the memory is bounded; the counts are right.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(0, 20_000).Draw(t, "limit")
		c := newCache(limit)
		model := map[key]string{}
		var hits, misses uint64
		keys := rapid.Custom(func(t *rapid.T) key {
			return key{rapid.IntRange(0, 30).Draw(t, "id"), rapid.IntRange(0, 2).Draw(t, "revision")}
		})
		get := func(t *rapid.T) {
			k := keys.Draw(t, "key")
			got, ok := c.Get(k)
			if !ok {
				misses++
				return
			}
			hits++
			if want, put := model[k]; !put || got != want {
				t.Fatalf("Get(%v) = %q, want %q, put %v", k, got, want, put)
			}
		}
		put := func(t *rapid.T) {
			k := keys.Draw(t, "key")
			model[k] = fmt.Sprint(len(model), text(rapid.IntRange(0, 800).Draw(t, "size")))
			c.Put(k, model[k])
			if got, ok := c.Get(k); ok != (len(model[k])+emptyEntry() <= limit/16) || ok && got != model[k] {
				t.Fatalf("Get after Put of %d bytes of %d = %q, %v", len(model[k]), limit, got, ok)
			} else if ok {
				hits++
			} else {
				misses++
			}
		}
		forget := func(t *rapid.T) {
			k := keys.Draw(t, "key")
			delete(model, k)
			c.Forget(k)
		}
		bounded := func(t *rapid.T) {
			s := c.Stats()
			if s.Bytes > limit || s.Bytes < s.Entries*emptyEntry() || s.Entries > len(model) {
				t.Fatalf("Stats = %+v of %d values, want at most %d bytes", s, len(model), limit)
			}
			if s.Hits != hits || s.Misses != misses {
				t.Fatalf("Stats = %+v, want %d hits and %d misses", s, hits, misses)
			}
		}
		t.Repeat(map[string]func(*rapid.T){"get": get, "put": put, "forget": forget, "": bounded})
	})
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	c := newCache(20_000)
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 2000 {
				k := key{id: (i + g) % 200}
				want := fmt.Sprint(k.id)
				if got, ok := c.Get(k); ok && got != want {
					t.Errorf("Get(%v) = %q", k, got)
				}
				c.Put(k, want)
				if i%50 == 0 {
					c.Forget(k)
				}
			}
		})
	}
	group.Wait()
	if s := c.Stats(); s.Bytes > 20_000 || s.Entries == 0 {
		t.Errorf("Stats = %+v, want some entries in at most 20000 bytes", s)
	}
}

func BenchmarkGet(b *testing.B) {
	c := newCache(1 << 20)
	for i := range 1000 {
		c.Put(key{id: i}, text(100))
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if _, ok := c.Get(key{id: i % 1000}); !ok {
				b.Error("missing")
			}
		}
	})
}

func BenchmarkPut(b *testing.B) {
	c := newCache(1 << 20)
	b.ReportAllocs()
	for i := range b.N {
		c.Put(key{id: i}, "value")
	}
}

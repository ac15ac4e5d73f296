package packages

import (
	"hash/maphash"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// cache keeps encoded documents in bounded memory. Each shard has two
// generations: new entries and those that are used move to the young one, and
// when the young one is full the old one is dropped whole. That costs no list
// to keep in order and one short lock for each look-up.
//
// An entry is dropped when a transaction of this process changes it. Changes
// of other processes on the same database show after the entry's time.
type cache[V any] struct {
	clock  clock.Clock
	ttl    time.Duration
	seed   maphash.Seed
	shards [cacheShards]cacheShard[V]
}

const cacheShards = 16

type cacheShard[V any] struct {
	mu         sync.Mutex
	young, old map[string]cached[V]
	bytes      int64
	most       int64
	// changes counts drops; a value read before a drop is not put after it.
	changes uint64
}

type cached[V any] struct {
	value   V
	size    int64
	expires time.Time
}

func newCache[V any](c clock.Clock, bytes int64, ttl time.Duration) *cache[V] {
	k := &cache[V]{clock: c, ttl: ttl, seed: maphash.MakeSeed()}
	for i := range k.shards {
		k.shards[i].most = bytes / cacheShards / 2
		k.shards[i].young = map[string]cached[V]{}
	}
	return k
}

func (c *cache[V]) shard(key string) *cacheShard[V] {
	return &c.shards[maphash.String(c.seed, key)%cacheShards]
}

// get returns the value and, when there is none, a mark that put wants back.
func (c *cache[V]) get(key string) (value V, mark uint64, ok bool) {
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.young[key]
	if !ok {
		if e, ok = s.old[key]; ok {
			delete(s.old, key)
			s.add(key, e)
		}
	}
	if ok && !c.clock.Now().Before(e.expires) {
		s.remove(key)
		ok = false
	}
	if !ok {
		var none V
		return none, s.changes, false
	}
	return e.value, s.changes, true
}

// put keeps a value that was read after get gave the mark.
func (c *cache[V]) put(key string, value V, size int, mark uint64) {
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes != mark {
		return
	}
	s.add(key, cached[V]{value: value, size: int64(size+len(key)) + cacheOverhead, expires: c.clock.Now().Add(c.ttl)})
}

// cacheOverhead is about what the map and the entry itself take.
const cacheOverhead = 120

func (s *cacheShard[V]) add(key string, e cached[V]) {
	s.remove(key)
	if e.size > s.most {
		return
	}
	if s.bytes+e.size > s.most {
		s.old, s.young, s.bytes = s.young, map[string]cached[V]{}, 0
	}
	s.young[key] = e
	s.bytes += e.size
}

// remove takes an entry out of the young generation.
func (s *cacheShard[V]) remove(key string) {
	if e, ok := s.young[key]; ok {
		delete(s.young, key)
		s.bytes -= e.size
	}
}

// drop forgets a key.
func (c *cache[V]) drop(key string) {
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(key)
	delete(s.old, key)
	s.changes++
}

package ttlcache

import (
	"hash/maphash"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Cache keeps values in bounded memory, each for a limited time. Each shard has two
// generations: new entries and those that are used move to the young one, and
// when the young one is full the old one is dropped whole. That costs no list
// to keep in order and one short lock for each look-up.
//
// An entry is forgotten when a transaction of this process changes it. Changes
// of other processes on the same database show after the entry's time.
type Cache[V any] struct {
	clock  clock.Clock
	ttl    time.Duration
	seed   maphash.Seed
	shards [cacheShards]cacheShard[V]
}

const cacheShards = 16

type cacheShard[V any] struct {
	mu         sync.Mutex
	young, old map[string]entry[V]
	bytes      int64
	limit      int64
	// changes counts calls of Forget; a value read before one is not put after it.
	changes uint64
}

type entry[V any] struct {
	value   V
	size    int64
	expires time.Time
}

// New makes a cache of at most so many bytes, whose entries end after ttl.
func New[V any](c clock.Clock, bytes int64, ttl time.Duration) *Cache[V] {
	k := &Cache[V]{clock: c, ttl: ttl, seed: maphash.MakeSeed()}
	for i := range k.shards {
		k.shards[i].limit = bytes / cacheShards / 2
		k.shards[i].young = map[string]entry[V]{}
	}
	return k
}

func (c *Cache[V]) shard(key string) *cacheShard[V] {
	return &c.shards[maphash.String(c.seed, key)%cacheShards]
}

// Get returns the value or, without one, a mark to hand to Put.
func (c *Cache[V]) Get(key string) (value V, mark uint64, ok bool) {
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

// Put keeps a value that was read after Get returned the mark.
func (c *Cache[V]) Put(key string, value V, size int, mark uint64) {
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes != mark {
		return
	}
	s.add(key, entry[V]{value: value, size: int64(size+len(key)) + cacheOverhead, expires: c.clock.Now().Add(c.ttl)})
}

// cacheOverhead is about what the map and the entry itself take.
const cacheOverhead = 120

func (s *cacheShard[V]) add(key string, e entry[V]) {
	s.remove(key)
	if e.size > s.limit {
		return
	}
	if s.bytes+e.size > s.limit {
		s.old, s.young, s.bytes = s.young, map[string]entry[V]{}, 0
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

// Forget removes a key.
func (c *Cache[V]) Forget(key string) {
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(key)
	delete(s.old, key)
	s.changes++
}

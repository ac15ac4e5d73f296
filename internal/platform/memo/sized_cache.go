package memo

import (
	"sync"
	"sync/atomic"
)

const (
	// entryCost is about what an entry takes besides its key and value.
	entryCost = 128
	// largestShare bounds one value to this part of the memory: a larger one
	// would evict too many others.
	largestShare = 16
)

// Cache keeps values in bounded memory.
type Cache[K comparable, V any] struct {
	limit int
	cost  func(K, V) int

	hits, misses atomic.Uint64

	mu      sync.RWMutex
	entries map[K]*entry[K, V]
	bytes   int
	// newest and oldest are the ends of the list of all entries by age. hand is
	// where eviction goes on, from older to newer; nil is the oldest.
	newest, oldest, hand *entry[K, V]

	evicted uint64
}

type entry[K comparable, V any] struct {
	key          K
	value        V
	bytes        int
	used         atomic.Bool
	older, newer *entry[K, V]
}

// New makes a cache of at most limit bytes. cost is what a key and its value
// take in memory; it is asked once for each Put.
func New[K comparable, V any](limit int, cost func(K, V) int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, cost: cost, entries: map[K]*entry[K, V]{}}
}

// Get returns the value of a key. It is shared: the caller must not change it.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.RLock()
	value, ok = c.read(key)
	c.mu.RUnlock()
	if ok {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
	return value, ok
}

// GetAll puts the values of the keys into their places, under one lock, and
// returns how many are missing. Their places are left as they are.
func (c *Cache[K, V]) GetAll(keys []K, into []V) (missing int) {
	c.mu.RLock()
	for i, key := range keys {
		if value, ok := c.read(key); ok {
			into[i] = value
		} else {
			missing++
		}
	}
	c.mu.RUnlock()
	c.hits.Add(uint64(len(keys) - missing))
	c.misses.Add(uint64(missing))
	return missing
}

func (c *Cache[K, V]) read(key K) (value V, ok bool) {
	e := c.entries[key]
	if e == nil {
		return value, false
	}
	if !e.used.Load() {
		e.used.Store(true)
	}
	return e.value, true
}

// Put caches a value, in place of the one that the key had. One that would
// take a good part of the memory by itself is not cached.
func (c *Cache[K, V]) Put(key K, value V) {
	bytes := c.cost(key, value) + entryCost
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key, value, bytes)
}

func (c *Cache[K, V]) put(key K, value V, bytes int) {
	if e := c.entries[key]; e != nil {
		c.remove(e)
	}
	if bytes > c.limit/largestShare {
		return
	}
	for c.bytes+bytes > c.limit {
		c.evict()
	}
	e := &entry[K, V]{key: key, value: value, bytes: bytes, older: c.newest}
	if c.newest != nil {
		c.newest.newer = e
	} else {
		c.oldest = e
	}
	c.newest = e
	c.entries[key] = e
	c.bytes += bytes
}

// evict drops the next entry that was not read since the hand passed it.
func (c *Cache[K, V]) evict() {
	e := c.hand
	for {
		if e == nil {
			e = c.oldest
		}
		if !e.used.Load() {
			break
		}
		e.used.Store(false)
		e = e.newer
	}
	c.hand = e
	c.remove(e)
	c.evicted++
}

func (c *Cache[K, V]) remove(e *entry[K, V]) {
	if c.hand == e {
		c.hand = e.newer
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		c.oldest = e.newer
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		c.newest = e.older
	}
	delete(c.entries, e.key)
	c.bytes -= e.bytes
}

// Forget drops the value of a key.
func (c *Cache[K, V]) Forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		c.remove(e)
	}
}

// Stats are the counts of a cache.
type Stats struct {
	Entries, Bytes        int
	Hits, Misses, Evicted uint64
}

// Stats are the counts now. Hits and misses count since New.
func (c *Cache[K, V]) Stats() Stats {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return Stats{
		Entries: len(c.entries), Bytes: c.bytes,
		Hits: c.hits.Load(), Misses: c.misses.Load(), Evicted: c.evicted,
	}
}

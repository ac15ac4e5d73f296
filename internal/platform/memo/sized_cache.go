package memo

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

const (
	// slotControl is what a map keeps of each slot besides key and value, and spareSlots how many slots there are for
	// each that is used, in tenths: it has between seven eighths and half of them in use.
	slotControl, spareSlots = 1, 15
	// largestShare bounds one value to this part of the memory: a larger one
	// would evict too many others.
	largestShare = 16
)

// Cache keeps values in bounded memory.
type Cache[K comparable, V any] struct {
	limit, largest int
	fixed          int // bytes of an entry, its key's and its value's own among them
	cost           func(K, V) int
	// clock is nil where values do not end.
	clock clock.Clock
	ttl   time.Duration

	hits, misses atomic.Uint64

	mu sync.RWMutex
	// mark grows with every Forget and Clear.
	mark    Mark
	entries Map[K, *entry[K, V]]
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
	until        time.Time
	used         atomic.Bool
	older, newer *entry[K, V]
}

// Mark is a moment in the life of a cache. It is over when a value is forgotten.
type Mark uint64

// New makes a cache of at most limit bytes. cost is what a key and its value
// refer to, beyond their own sizes; it is asked once for each Put.
func New[K comparable, V any](limit int, cost func(K, V) int) *Cache[K, V] {
	c := NewCounted[K, V](limit)
	c.largest, c.cost = limit/largestShare, cost
	return c
}

// NewCounted makes a cache of at most limit values, for those of about one size.
func NewCounted[K comparable, V any](limit int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, largest: limit, fixed: entryBytes[K, V]()}
}

// entryBytes is what an entry takes with its slot of the map.
func entryBytes[K comparable, V any]() int {
	slot := reflect.TypeFor[K]().Size() + reflect.TypeFor[*entry[K, V]]().Size() + slotControl
	return int(reflect.TypeFor[entry[K, V]]().Size() + slot*spareSlots/10)
}

// Get returns the value of a key. It is shared: the caller must not change it.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	value, _, ok = c.Look(key)
	return value, ok
}

// Look is Get that also returns the mark to hand to PutSince. Who finds no value
// reads it from its source after this.
func (c *Cache[K, V]) Look(key K) (value V, mark Mark, ok bool) {
	c.mu.RLock()
	e := c.find(key)
	mark = c.mark
	c.mu.RUnlock()
	if e == nil {
		c.misses.Add(1)
		return value, mark, false
	}
	c.hits.Add(1)
	return e.value, mark, true
}

// GetAll puts the values of the keys into their places, under one lock, and
// returns how many are missing. Their places are left as they are.
func (c *Cache[K, V]) GetAll(keys []K, into []V) (missing int) {
	c.mu.RLock()
	for i, key := range keys {
		if e := c.find(key); e != nil {
			into[i] = e.value
		} else {
			missing++
		}
	}
	c.mu.RUnlock()
	c.hits.Add(uint64(len(keys) - missing))
	c.misses.Add(uint64(missing))
	return missing
}

// find returns an entry, whose key and value never change.
func (c *Cache[K, V]) find(key K) *entry[K, V] {
	e, _ := c.entries.Get(key)
	if e == nil || c.clock != nil && !c.clock.Now().Before(e.until) {
		return nil
	}
	if !e.used.Load() {
		e.used.Store(true)
	}
	return e
}

// Put caches a value, in place of the one that the key had. One that would
// take a good part of the memory by itself is not cached.
func (c *Cache[K, V]) Put(key K, value V) {
	bytes := c.size(key, value)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key, value, bytes)
}

// PutSince is Put of a value that was read since the mark. When anything was
// forgotten since then the value may be from before that, and is not cached.
func (c *Cache[K, V]) PutSince(key K, value V, mark Mark) {
	bytes := c.size(key, value)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mark == mark {
		c.put(key, value, bytes)
	}
}

// size is what a value counts towards the limit.
func (c *Cache[K, V]) size(key K, value V) int {
	if c.cost == nil {
		return 1
	}
	return c.fixed + c.cost(key, value)
}

func (c *Cache[K, V]) put(key K, value V, bytes int) {
	if e, ok := c.entries.Get(key); ok {
		c.remove(e)
	}
	if bytes > c.largest {
		return
	}
	for c.bytes+bytes > c.limit {
		c.evict()
	}
	e := &entry[K, V]{key: key, value: value, bytes: bytes, older: c.newest}
	if c.clock != nil {
		e.until = c.clock.Now().Add(c.ttl)
	}
	if c.newest != nil {
		c.newest.newer = e
	} else {
		c.oldest = e
	}
	c.newest = e
	c.entries.Set(key, e)
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
	c.entries.Delete(e.key)
	c.bytes -= e.bytes
}

// Forget drops the value of a key, and what PutSince brings of those who look now.
func (c *Cache[K, V]) Forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mark++
	if e, ok := c.entries.Get(key); ok {
		c.remove(e)
	}
}

// Clear is Forget of every key.
func (c *Cache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mark++
	c.entries.Clear()
	c.bytes = 0
	c.newest, c.oldest, c.hand = nil, nil, nil
}

// Stats are the counts of a cache. Where values are counted Bytes is their number.
type Stats struct {
	Entries, Bytes        int
	Hits, Misses, Evicted uint64
}

// Stats are the counts now. Hits and misses count since New.
func (c *Cache[K, V]) Stats() Stats {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return Stats{
		Entries: c.entries.Len(), Bytes: c.bytes,
		Hits: c.hits.Load(), Misses: c.misses.Load(), Evicted: c.evicted,
	}
}

// Plus are the counts of two caches together.
func (s Stats) Plus(other Stats) Stats {
	return Stats{
		Entries: s.Entries + other.Entries, Bytes: s.Bytes + other.Bytes,
		Hits: s.Hits + other.Hits, Misses: s.Misses + other.Misses, Evicted: s.Evicted + other.Evicted,
	}
}

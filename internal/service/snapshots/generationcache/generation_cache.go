package generationcache

import "sync"

// Cache is safe for concurrent use. Its zero value keeps nothing.
type Cache[V any] struct {
	mu         sync.RWMutex
	all        map[string]V
	generation uint64
	max        int
}

// New makes a cache of at most limit values; beyond that it starts anew.
func New[V any](limit int) *Cache[V] { return &Cache[V]{max: limit} }

// Get returns what is kept, and the generation to hand to Put otherwise.
func (c *Cache[V]) Get(key string) (v V, generation uint64, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok = c.all[key]
	return v, c.generation, ok
}

// Put keeps a value that was read in the generation, unless that is over.
func (c *Cache[V]) Put(key string, v V, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation != generation || c.max == 0 {
		return
	}
	if c.all == nil || len(c.all) >= c.max {
		c.all = map[string]V{}
	}
	c.all[key] = v
}

// Forget begins a new generation without the value. It is called after the commit.
func (c *Cache[V]) Forget(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	delete(c.all, key)
}

package kms

import (
	"sync"

	"stoa.dev/stoa/internal/platform/memo"
)

// dataKeyCache keeps unwrapped data keys, so that reading 100,000 stored secrets
// asks the provider once per data key and not once per secret. It is not a memo.Cache
// because it forgets all data keys of a key at once and finds one for every Decrypt
// without allocating.
type dataKeyCache struct {
	limit int

	mu      sync.RWMutex
	entries memo.Map[wrappedKey, *dataKey]
}

// wrappedKey is what a caller sends of a data key.
type wrappedKey struct{ keyID, wrapped string }

func newDataKeyCache(limit int) *dataKeyCache {
	return &dataKeyCache{limit: limit}
}

// get does not allocate: the compiler leaves out the conversion in a look-up.
func (c *dataKeyCache) get(keyID string, wrapped []byte) *dataKey {
	c.mu.RLock()
	d := c.entries.Entries()[wrappedKey{keyID, string(wrapped)}]
	c.mu.RUnlock()
	if d != nil && !d.recent.Load() {
		d.recent.Store(true)
	}
	return d
}

// put adds a key. At the limit, one that was not used since the last look at it is
// evicted.
func (c *dataKeyCache) put(d *dataKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries.Len() >= c.limit {
		c.evict()
	}
	c.entries.Set(wrappedKey{d.keyID, string(d.wrapped)}, d)
}

// evict looks at a few entries in the map's random order.
func (c *dataKeyCache) evict() {
	const looks = 16
	looked := 0
	for at, d := range c.entries.Entries() {
		looked++
		if !d.recent.Swap(false) || looked == looks {
			c.entries.Delete(at)
			return
		}
	}
	// All were recent and fewer than looks: any one is evicted.
	for at := range c.entries.Entries() {
		c.entries.Delete(at)
		return
	}
}

// forget removes the data keys of a key that was destroyed.
func (c *dataKeyCache) forget(keyID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := range c.entries.Entries() {
		if at.keyID == keyID {
			c.entries.Delete(at)
		}
	}
}

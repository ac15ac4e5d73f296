package kms

import "sync"

// dataKeys remembers unwrapped data keys, so that reading 100,000 stored
// secrets asks the provider once per data key and not once per secret.
type dataKeys struct {
	most int

	mu      sync.RWMutex
	entries map[wrappedKey]*dataKey
}

// wrappedKey is how a data key is found: by what the caller sends.
type wrappedKey struct{ keyID, wrapped string }

func newDataKeys(most int) *dataKeys {
	return &dataKeys{most: most, entries: map[wrappedKey]*dataKey{}}
}

// get does not allocate: the conversion in the look-up is the compiler's.
func (c *dataKeys) get(keyID string, wrapped []byte) *dataKey {
	c.mu.RLock()
	d := c.entries[wrappedKey{keyID, string(wrapped)}]
	c.mu.RUnlock()
	if d != nil && !d.recent.Load() {
		d.recent.Store(true)
	}
	return d
}

// put remembers a key. When there is no room, one that was not asked for since
// it was last looked at makes way.
func (c *dataKeys) put(d *dataKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= c.most {
		c.evict()
	}
	c.entries[wrappedKey{d.keyID, string(d.wrapped)}] = d
}

// evict looks at a few entries in the map's random order.
func (c *dataKeys) evict() {
	const looks = 16
	looked := 0
	for at, d := range c.entries {
		looked++
		if !d.recent.Swap(false) || looked == looks {
			delete(c.entries, at)
			return
		}
	}
	// All were recent and fewer than looks: any one has to go.
	for at := range c.entries {
		delete(c.entries, at)
		return
	}
}

// drop forgets the data keys of a key that was destroyed.
func (c *dataKeys) drop(keyID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := range c.entries {
		if at.keyID == keyID {
			delete(c.entries, at)
		}
	}
}

func (c *dataKeys) len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.entries)
}

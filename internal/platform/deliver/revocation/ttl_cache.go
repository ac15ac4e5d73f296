package revocation

import (
	"sync"
	"time"
)

// ttlCache keeps a bounded number of values until their time is over.
type ttlCache[V any] struct {
	mu     sync.Mutex
	max    int
	values map[string]ttlEntry[V]
}

type ttlEntry[V any] struct {
	value V
	until time.Time
}

func newTTLCache[V any](max int) *ttlCache[V] {
	return &ttlCache[V]{max: max, values: map[string]ttlEntry[V]{}}
}

func (c *ttlCache[V]) get(key string, now time.Time) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok := c.values[key]
	if !ok || !now.Before(kept.until) {
		return value, false
	}
	return kept.value, true
}

// put drops others when the cache is full, in any order: everything in here can be asked for again.
func (c *ttlCache[V]) put(key string, value V, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for old := range c.values {
		if len(c.values) < c.max {
			break
		}
		delete(c.values, old)
	}
	c.values[key] = ttlEntry[V]{value, until}
}

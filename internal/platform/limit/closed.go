package limit

import "sync"

// closed remembers keys that were just refused. A client that goes on hammering
// is then answered by reading the row: refusals cost no write and no lock. It is
// a hint only; the row decides.
type closed struct {
	mu   sync.Mutex
	keys map[id]span
}

// span is from the refusal to the end of its window. Before it, after a clock
// jumped back, the row has to be written to end the window in time.
type span struct{ from, ends int64 }

// maxClosed bounds the memory. Beyond it all is forgotten, which costs each
// hammering client one write.
const maxClosed = 1 << 14

func (c *closed) has(k id, now int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.keys[k]
	return ok && now >= s.from && now < s.ends
}

func (c *closed) note(k id, now int64, d Decision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.Allowed {
		delete(c.keys, k)
		return
	}
	if c.keys == nil || len(c.keys) >= maxClosed {
		c.keys = map[id]span{}
	}
	c.keys[k] = span{now, d.mark}
}

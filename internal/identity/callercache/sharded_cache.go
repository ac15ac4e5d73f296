package callercache

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/memo"
)

// cacheShards spreads the locks; secrets are hashes, so any byte will do.
const cacheShards = 16

type digest = [sha256.Size]byte

// Cache keeps live callers by the hash of their secret. It is bounded: a full
// shard drops an arbitrary entry, which costs that caller one database read.
// A nil cache keeps nothing. It is not a memo.Sharded because every request asks it: its
// keys are hashes already, and it counts nothing.
type Cache[V any] struct {
	shards     [cacheShards]shard[V]
	maxEntries int
	// changes counts invalidations. An entry read from the database before a
	// change must not be put in after it.
	changes atomic.Uint64
}

type shard[V any] struct {
	mu      sync.RWMutex
	entries memo.Map[digest, *V]
}

// New makes a cache of about so many callers.
func New[V any](size int) *Cache[V] {
	return &Cache[V]{maxEntries: max(1, size/cacheShards)}
}

func (c *Cache[V]) shard(hash digest) *shard[V] { return &c.shards[hash[0]%cacheShards] }

// Get finds a caller; nil when it is not kept.
func (c *Cache[V]) Get(hash digest) *V {
	if c == nil {
		return nil
	}
	s := c.shard(hash)
	s.mu.RLock()
	e, _ := s.entries.Get(hash)
	s.mu.RUnlock()
	return e
}

// Generation is what to hand to a Put of what is read from now on.
func (c *Cache[V]) Generation() uint64 {
	if c == nil {
		return 0
	}
	return c.changes.Load()
}

// Put keeps the entry unless something changed since the generation was read.
func (c *Cache[V]) Put(hash digest, e *V, generation uint64) {
	if c == nil {
		return
	}
	s := c.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	// Invalidations count first and take the lock afterwards, so either this
	// sees the count or they see this entry.
	if c.changes.Load() != generation {
		return
	}
	if s.entries.Len() >= c.maxEntries {
		for victim := range s.entries.Entries() {
			s.entries.Delete(victim)
			break
		}
	}
	s.entries.Set(hash, e)
}

// Forget drops callers, and what a Put brings of those who read now.
func (c *Cache[V]) Forget(hashes ...digest) {
	if c == nil {
		return
	}
	c.changes.Add(1)
	for _, hash := range hashes {
		s := c.shard(hash)
		s.mu.Lock()
		s.entries.Delete(hash)
		s.mu.Unlock()
	}
}

// Clear is Forget of all.
func (c *Cache[V]) Clear() {
	if c == nil {
		return
	}
	c.changes.Add(1)
	for j := range c.shards {
		s := &c.shards[j]
		s.mu.Lock()
		s.entries.Clear()
		s.mu.Unlock()
	}
}

// Len counts the callers.
func (c *Cache[V]) Len() (n int) {
	for j := range c.shards {
		s := &c.shards[j]
		s.mu.RLock()
		n += s.entries.Len()
		s.mu.RUnlock()
	}
	return n
}

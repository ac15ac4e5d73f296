package identity

import (
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/memo"
)

// cacheShards spreads the locks; secrets are hashes, so any byte will do.
const cacheShards = 16

// cachedCaller is a live credential. Only used changes after it is made.
type cachedCaller struct {
	caller    *Caller
	expiresAt int64 // Unix microseconds, as stored, which no year overflows; 0 means never
	lastUsed  atomic.Int64
}

// expired reports whether the credential has run out. It must hold on the world's
// clock, so a cached entry is asked on every use.
func (e *cachedCaller) expired(now time.Time) bool {
	return e.expiresAt != 0 && now.UnixMicro() >= e.expiresAt
}

// markUsed notes the time of use and reports whether it is news: last use is kept
// to the second, so that a busy token costs one atomic read a request.
func (e *cachedCaller) markUsed(now time.Time) bool {
	second := now.Unix()
	last := e.lastUsed.Load()
	return last != second && e.lastUsed.CompareAndSwap(last, second)
}

// callerCache keeps live callers by the hash of their secret. It is bounded: a full
// shard drops an arbitrary entry, which costs that caller one database read.
// A nil cache keeps nothing. It is not a memo.Sharded because every request asks it: its
// keys are hashes already, and it counts nothing.
type callerCache struct {
	shards     [cacheShards]shard
	maxEntries int
	// changes counts invalidations. An entry read from the database before a
	// change must not be put in after it.
	changes atomic.Uint64
}

type shard struct {
	mu      sync.RWMutex
	entries memo.Map[digest, *cachedCaller]
}

func newCallerCache(size int) *callerCache {
	return &callerCache{maxEntries: max(1, size/cacheShards)}
}

func (c *callerCache) shard(hash digest) *shard { return &c.shards[hash[0]%cacheShards] }

func (c *callerCache) get(hash digest) *cachedCaller {
	if c == nil {
		return nil
	}
	s := c.shard(hash)
	s.mu.RLock()
	e, _ := s.entries.Get(hash)
	s.mu.RUnlock()
	return e
}

func (c *callerCache) generation() uint64 {
	if c == nil {
		return 0
	}
	return c.changes.Load()
}

// put keeps the entry unless something changed since the generation was read.
func (c *callerCache) put(hash digest, e *cachedCaller, generation uint64) {
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

func (c *callerCache) forget(hashes ...digest) {
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

func (c *callerCache) clear() {
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

// forgetAll empties the caches. Changes to users, organizations, teams and
// clients are rare, so they need not know which credentials they touch.
func (i *Identity) forgetAll() {
	i.cache.clear()
	i.clients.Clear()
}

func (i *Identity) forget(hashes []digest) { i.cache.forget(hashes...) }

// forgetOnCommit drops the revoked credentials once the revocation is durable.
func (i *Identity) forgetOnCommit(tx *database.Tx) func(hashes []digest, err error) error {
	return func(hashes []digest, err error) error {
		if err == nil && len(hashes) > 0 {
			tx.OnCommit(func() { i.forget(hashes) })
		}
		return err
	}
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Now is the world's time as identity stores it.
func (i *Identity) Now() time.Time { return i.now() }

// ForgetUserIn forgets what is known of a user's credentials once the transaction is
// durable, and tells those who watch.
func (i *Identity) ForgetUserIn(tx *database.Tx, id int64) { tx.OnCommit(func() { i.userChanged(id) }) }

// ForgetAllIn forgets all that is known of credentials once the transaction is durable.
func (i *Identity) ForgetAllIn(tx *database.Tx) { tx.OnCommit(i.forgetAll) }

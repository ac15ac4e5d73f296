package articles

import (
	"sync"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/memo"
)

const (
	maxItemCacheBytes = 32 << 20
	maxUserCacheBytes = 8 << 20
	maxTagCacheBytes  = 2 << 20
	// maxCachedItem is the largest item that is kept: a larger one would push out
	// hundreds of others.
	maxCachedItem = 256 << 10
)

// responseCache keeps encoded items and users. It is exact where one process owns
// the database: every change forgets what it touches before its writer is answered.
// On PostgreSQL another process may change rows, and nothing is put.
type responseCache struct {
	items *memo.Cache[cacheKey, *encodedItem]
	users *memo.Cache[cacheKey, *User]
	// numbers are those of items by id, which never change.
	numbers *memo.Cache[string, int64]

	// epoch is a part of every key. It grows with a change that touches more than
	// can be named.
	epoch atomic.Uint64

	mu sync.Mutex
	// generation grows with every change. What was read before one and arrives
	// after it is not kept.
	generation uint64
	// totals are how many items editions show.
	totals map[int64]int64

	encodeUser func(User) *User
}

type cacheKey struct {
	epoch  uint64
	number int64
}

func newResponseCache(encodeUser func(User) *User) *responseCache {
	return &responseCache{
		items:      memo.New(maxItemCacheBytes, func(_ cacheKey, e *encodedItem) int { return len(e.json) }),
		users:      memo.New(maxUserCacheBytes, func(_ cacheKey, u *User) int { return len(u.json) + 256 }),
		numbers:    memo.New(maxItemCacheBytes/8, func(id string, _ int64) int { return len(id) }),
		totals:     map[int64]int64{},
		encodeUser: encodeUser,
	}
}

// caches reports whether this process may keep what it read.
func (s *Service) caches() bool { return s.world.DB.Engine() == database.SQLite }

func (c *responseCache) key(number int64) cacheKey { return cacheKey{c.epoch.Load(), number} }

// item finds an item by its id; nil if it is not kept.
func (c *responseCache) item(id string) *encodedItem {
	if number, ok := c.numbers.Get(id); ok {
		if e, ok := c.items.Get(c.key(number)); ok && e.id == id {
			return e
		}
	}
	return nil
}

// fill puts the items that are kept into their places and returns how many are
// missing.
func (c *responseCache) fill(numbers []int64, out []*encodedItem) (missing int) {
	keys := make([]cacheKey, len(numbers))
	for n, number := range numbers {
		keys[n] = c.key(number)
	}
	return c.items.GetAll(keys, out)
}

// now is the generation to hand to a put.
func (c *responseCache) now() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.generation
}

// put keeps what was read since generation, unless there was a change.
func (c *responseCache) put(generation uint64, keep func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation == generation {
		keep()
	}
}

func (c *responseCache) putItems(generation uint64, items []*encodedItem) {
	c.put(generation, func() {
		for _, e := range items {
			if len(e.json) <= maxCachedItem {
				c.items.Put(c.key(e.number), e)
				c.numbers.Put(e.id, e.number)
			}
		}
	})
}

func (c *responseCache) putUser(generation uint64, u *User) {
	c.put(generation, func() { c.users.Put(c.key(u.ID), u) })
}

// total is how many items an edition shows, if that is kept.
func (c *responseCache) total(teamID int64) (n int64, known bool, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, known = c.totals[teamID]
	return n, known, c.generation
}

func (c *responseCache) putTotal(generation uint64, teamID, n int64) {
	c.put(generation, func() { c.totals[teamID] = n })
}

// change drops what a change touches.
func (c *responseCache) change(forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	forget()
}

// forgetAll drops everything but the totals, which do not depend on users and
// groups.
func (c *responseCache) forgetAll() { c.change(func() { c.epoch.Add(1) }) }

// forgetItems drops items once tx has committed.
func (c *responseCache) forgetItems(tx *database.Tx, numbers ...int64) {
	tx.OnCommit(func() {
		c.change(func() {
			for _, number := range numbers {
				c.items.Forget(c.key(number))
			}
		})
	})
}

// forgetUsers drops users once tx has committed.
func (c *responseCache) forgetUsers(tx *database.Tx, ids ...int64) {
	tx.OnCommit(func() {
		c.change(func() {
			for _, id := range ids {
				c.users.Forget(c.key(id))
			}
		})
	})
}

// countItem enters, once tx has committed, by how much an item changed the total of
// its edition and the count of its author, if those are kept: an author who writes
// often would otherwise be read after every item. On a team's host no author counts.
func (c *responseCache) countItem(tx *database.Tx, i Item, by int64) {
	tx.OnCommit(func() {
		c.change(func() {
			c.items.Forget(c.key(i.Number))
			if n, known := c.totals[i.TeamID]; known {
				c.totals[i.TeamID] = n + by
			}
			if u, ok := c.users.Get(c.key(i.UserID)); ok && i.TeamID == 0 {
				counted := *u
				counted.Items += by
				c.users.Put(c.key(i.UserID), c.encodeUser(counted))
			}
		})
	})
}

package cache

import (
	"reflect"
	"sync"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/wire"
)

const (
	maxItemBytes = 32 << 20
	maxUserBytes = 8 << 20
	// maxItem is the largest item that is kept: a larger one would push out
	// hundreds of others.
	maxItem = 256 << 10
)

// Item is an item as it is sent, but for what changes without it: its page views,
// its author, and the address that links begin with.
type Item struct {
	Number, TeamID, UserID, Group int64
	ID                            string
	Private                       bool
	Views                         int64
	// JSON ends where the number of page views follows. What links begin with belongs
	// at LinkAt, and what pictures begin with at PicturesAt, which is before it.
	JSON       []byte
	LinkAt     int
	PicturesAt []int
}

// Bases are what the link of an item and its pictures begin with.
type Bases struct{ Link, Picture string }

// Append writes what the cache keeps of the item.
func (i *Item) Append(out []byte, base Bases) []byte {
	from := 0
	for _, at := range i.PicturesAt {
		out = append(append(out, i.JSON[from:at]...), base.Picture...)
		from = at
	}
	out = wire.AppendText(append(out, i.JSON[from:i.LinkAt]...), base.Link)
	return append(out[:len(out)-1], i.JSON[i.LinkAt+1:]...) // one text, without the quotes between
}

// Options say what the cache keeps of users, and when.
type Options[U any] struct {
	// Keeps reports whether this process owns the database.
	Keeps func() bool
	// UserBytes is what a user takes in memory.
	UserBytes func(*U) int
	// AddItems makes the user who has so many items more.
	AddItems func(u *U, by int64) *U
}

// Cache keeps encoded items, and users of type U.
type Cache[U any] struct {
	options Options[U]
	items   *memo.Cache[key, *Item]
	users   *memo.Cache[key, *U]
	// numbers are those of items by id, which never change.
	numbers *memo.Cache[string, int64]

	// epoch is a part of every key. It grows with a change that touches more than
	// can be named.
	epoch atomic.Uint64

	mu sync.Mutex
	// generation grows with every change. What was read before one and arrives
	// after it is not kept.
	generation uint64
	// totals are how many items sites show.
	totals map[int64]int64
}

type key struct {
	epoch  uint64
	number int64
}

// New makes an empty cache.
func New[U any](o Options[U]) *Cache[U] {
	return &Cache[U]{
		options: o,
		items:   memo.New(maxItemBytes, func(_ key, i *Item) int { return i.bytes() }),
		users:   memo.New(maxUserBytes, func(_ key, u *U) int { return o.UserBytes(u) + 256 }),
		numbers: memo.New(maxItemBytes/8, func(id string, _ int64) int { return len(id) }),
		totals:  map[int64]int64{},
	}
}

// ShowCaches tells show of the counts.
func (c *Cache[U]) ShowCaches(show func(name string, stats func() memo.Stats)) {
	show("articles.items", c.items.Stats)
	show("articles.users", c.users.Stats)
	show("articles.numbers", c.numbers.Stats)
}

// bytes are what an item takes in memory.
func (i *Item) bytes() int {
	return int(reflect.TypeFor[Item]().Size()) + len(i.ID) + cap(i.JSON) + 8*cap(i.PicturesAt)
}

func (c *Cache[U]) key(number int64) key { return key{c.epoch.Load(), number} }

// Item finds an item by its id; nil if it is not kept.
func (c *Cache[U]) Item(id string) *Item {
	if number, ok := c.numbers.Get(id); ok {
		if e, ok := c.items.Get(c.key(number)); ok && e.ID == id {
			return e
		}
	}
	return nil
}

// Fill puts the items that are kept into their places and returns how many are
// missing.
func (c *Cache[U]) Fill(numbers []int64, out []*Item) (missing int) {
	keys := make([]key, len(numbers))
	for n, number := range numbers {
		keys[n] = c.key(number)
	}
	return c.items.GetAll(keys, out)
}

// Generation is what to hand to a put of what is read from now on.
func (c *Cache[U]) Generation() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.generation
}

// put keeps what was read since generation, unless there was a change.
func (c *Cache[U]) put(generation uint64, keep func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation == generation && c.options.Keeps() {
		keep()
	}
}

// PutItems keeps items.
func (c *Cache[U]) PutItems(generation uint64, items []*Item) {
	c.put(generation, func() {
		for _, e := range items {
			if len(e.JSON) <= maxItem {
				c.items.Put(c.key(e.Number), e)
				c.numbers.Put(e.ID, e.Number)
			}
		}
	})
}

// User finds a user; nil if it is not kept.
func (c *Cache[U]) User(id int64) *U {
	u, _ := c.users.Get(c.key(id))
	return u
}

// PutUser keeps a user.
func (c *Cache[U]) PutUser(generation uint64, id int64, u *U) {
	c.put(generation, func() { c.users.Put(c.key(id), u) })
}

// Total is how many items a site shows, if that is kept.
func (c *Cache[U]) Total(teamID int64) (n int64, known bool, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, known = c.totals[teamID]
	return n, known, c.generation
}

// PutTotal keeps how many items a site shows.
func (c *Cache[U]) PutTotal(generation uint64, teamID, n int64) {
	c.put(generation, func() { c.totals[teamID] = n })
}

// change drops what a change touches.
func (c *Cache[U]) change(forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	forget()
}

// ForgetAll drops everything but the totals, which do not depend on users and
// groups.
func (c *Cache[U]) ForgetAll() { c.change(func() { c.epoch.Add(1) }) }

// ForgetItems drops items once tx has committed.
func (c *Cache[U]) ForgetItems(tx *database.Tx, numbers ...int64) {
	tx.OnCommit(func() {
		c.change(func() {
			for _, number := range numbers {
				c.items.Forget(c.key(number))
			}
		})
	})
}

// ForgetUsers drops users once tx has committed.
func (c *Cache[U]) ForgetUsers(tx *database.Tx, ids ...int64) {
	tx.OnCommit(func() {
		c.change(func() {
			for _, id := range ids {
				c.users.Forget(c.key(id))
			}
		})
	})
}

// Entry is where an item is counted.
type Entry struct{ Number, TeamID, UserID int64 }

// CountItem enters, once tx has committed, by how much an item changed the total of
// its site and the count of its author, if those are kept: an author who writes
// often would otherwise be read after every item. On a team's host no author counts.
func (c *Cache[U]) CountItem(tx *database.Tx, i Entry, by int64) {
	tx.OnCommit(func() {
		c.change(func() {
			c.items.Forget(c.key(i.Number))
			if n, known := c.totals[i.TeamID]; known {
				c.totals[i.TeamID] = n + by
			}
			if u := c.User(i.UserID); u != nil && i.TeamID == 0 {
				c.users.Put(c.key(i.UserID), c.options.AddItems(u, by))
			}
		})
	})
}

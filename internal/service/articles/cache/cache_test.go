package cache_test

import (
	"testing"

	"stoa.dev/stoa/internal/service/articles/cache"
)

type user struct{ items int64 }

func open(keeps bool) *cache.Cache[user] {
	return cache.New(cache.Options[user]{
		Keeps:     func() bool { return keeps },
		UserBytes: func(*user) int { return 1 },
		AddItems:  func(u *user, by int64) *user { return &user{u.items + by} },
	})
}

// What was read before a change and arrives after it is not kept.
func TestPutAfterChange(t *testing.T) {
	t.Parallel()
	c := open(true)
	item := &cache.Item{Number: 1, ID: "a", JSON: []byte("{}")}
	before := c.Generation()
	c.ForgetAll()
	c.PutItems(before, []*cache.Item{item})
	c.PutUser(before, 7, &user{})
	c.PutTotal(before, 0, 3)
	if _, known, _ := c.Total(0); c.Item("a") != nil || c.User(7) != nil || known {
		t.Error("a put of an earlier generation is kept")
	}
	now := c.Generation()
	c.PutItems(now, []*cache.Item{item})
	c.PutUser(now, 7, &user{2})
	c.PutTotal(now, 0, 3)
	if n, _, _ := c.Total(0); c.Item("a") != item || c.User(7).items != 2 || n != 3 {
		t.Error("a put of this generation is lost")
	}
	filled := make([]*cache.Item, 2)
	if missing := c.Fill([]int64{1, 2}, filled); missing != 1 || filled[0] != item || filled[1] != nil {
		t.Errorf("filled %v, %d are missing", filled, missing)
	}
	c.ForgetAll()
	if n, known, _ := c.Total(0); c.Item("a") != nil || c.User(7) != nil || !known || n != 3 {
		t.Error("everything but the totals is to be forgotten")
	}
}

// Where another process may change rows nothing is kept.
func TestKeepsNothing(t *testing.T) {
	t.Parallel()
	c := open(false)
	c.PutItems(c.Generation(), []*cache.Item{{Number: 1, ID: "a"}})
	if c.Item("a") != nil {
		t.Error("an item is kept")
	}
}

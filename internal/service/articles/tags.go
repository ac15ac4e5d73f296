package articles

import (
	"context"
	"sync"
)

// ItemsTagged lists the items with a tag that the visitor may find, by number.
func (s *Service) ItemsTagged(ctx context.Context, v Visit, t Tag, c cut) ([]int64, int64, error) {
	seen, err := s.sight(ctx, v)
	if err != nil {
		return nil, 0, err
	}
	return s.store.itemsTagged(ctx, s.world.DB, seen, t.Number, c)
}

// tagKey is how a tag is found.
type tagKey struct {
	teamID int64
	folded string
}

// maxTagsKept bounds the tags in memory.
const maxTagsKept = 10_000

// tagCache remembers the numbers and spellings of tags, which never change.
type tagCache struct {
	mu   sync.RWMutex
	tags map[tagKey]Tag
}

func (c *tagCache) find(k tagKey) (Tag, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t, ok := c.tags[k]
	return t, ok
}

func (c *tagCache) keep(k tagKey, t Tag) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tags == nil || len(c.tags) >= maxTagsKept {
		c.tags = map[tagKey]Tag{}
	}
	c.tags[k] = Tag{Number: t.Number, Name: t.Name}
}

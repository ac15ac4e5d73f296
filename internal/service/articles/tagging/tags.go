package tagging

import (
	"cmp"
	"context"
	"slices"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/memo"
)

// Tag is a tag of one site.
type Tag struct {
	Number           int64
	Name             string
	Items, Followers int64
}

// maxBytes bounds the tags that are kept in memory.
const maxBytes = 2 << 20

// tagKey is how a tag is found.
type tagKey struct {
	teamID int64
	folded string
}

// Tags makes tags and puts them on items.
type Tags struct {
	// known keeps numbers and spellings of tags, which never change.
	known *memo.Cache[tagKey, Tag]
}

// NewTags makes the tags of a world.
func NewTags() *Tags {
	return &Tags{known: memo.New(maxBytes, func(k tagKey, t Tag) int { return len(k.folded) + len(t.Name) })}
}

// CacheStats are the counts of the tags that are kept.
func (t *Tags) CacheStats() memo.Stats { return t.known.Stats() }

// Replace makes the tags of an item of a site those that are named, in the place of old, and returns them as they
// are spelt, with their numbers. Tags that stay keep the time they were given.
func (t *Tags) Replace(ctx context.Context, tx *database.Tx, item, teamID int64, tags []Tagging, old []int64) (
	set []Tagging, numbers []int64, err error,
) {
	made := make([]Tag, len(tags))
	for _, n := range Order(tags) {
		if made[n], err = t.find(ctx, tx, teamID, tags[n].Name); err != nil {
			return nil, nil, err
		}
	}
	set, numbers = make([]Tagging, len(tags)), make([]int64, len(tags))
	for n, tag := range made {
		numbers[n], set[n] = tag.Number, Tagging{Name: tag.Name, Versions: tags[n].Versions}.NotNull()
		if err := Attach(ctx, tx, item, tag.Number, n, set[n].Versions); err != nil {
			return nil, nil, err
		}
	}
	for _, number := range old {
		if !slices.Contains(numbers, number) {
			if err := detach(ctx, tx, item, number); err != nil {
				return nil, nil, err
			}
		}
	}
	return set, numbers, nil
}

// find finds a tag or makes it. What was found once is kept.
func (t *Tags) find(ctx context.Context, tx *database.Tx, teamID int64, name string) (Tag, error) {
	key := tagKey{teamID, Fold(name)}
	if tag, ok := t.known.Get(key); ok {
		return tag, nil
	}
	tag, err := Upsert(ctx, tx, teamID, name)
	if err == nil {
		tx.OnCommit(func() { t.known.Put(key, Tag{Number: tag.Number, Name: tag.Name}) })
	}
	return tag, err
}

// Tagging is a tag on an item, with the versions the item is about.
type Tagging struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
}

// NotNull gives a tagging without versions an empty list: null stays off the wire.
func (t Tagging) NotNull() Tagging {
	if t.Versions == nil {
		t.Versions = []string{}
	}
	return t
}

// Order is the order in which tags are made: the same for all writers, so
// that two never wait for each other in a circle.
func Order(tags []Tagging) []int {
	order := make([]int, len(tags))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(Fold(tags[a].Name), Fold(tags[b].Name)) })
	return order
}

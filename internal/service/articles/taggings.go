package articles

import (
	"context"
	"slices"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

// tagItem makes the item's tags those that are named, in the place of old, and sets
// them as they are spelt. Tags that stay keep the time they were given.
func (s *Service) tagItem(ctx context.Context, tx *database.Tx, i *Item, tags []Tagging, old []int64) (
	numbers []int64, err error,
) {
	made := make([]Tag, len(tags))
	for _, n := range tagging.Order(tags) {
		if made[n], err = s.makeTag(ctx, tx, i.TeamID, tags[n].Name); err != nil {
			return nil, err
		}
	}
	numbers, i.Tags = make([]int64, len(tags)), make([]Tagging, len(tags))
	for n, tag := range made {
		numbers[n], i.Tags[n] = tag.Number, Tagging{Name: tag.Name, Versions: orEmpty(tags[n].Versions)}
		if err := upsertTagging(ctx, tx, i.Number, tag.Number, n, i.Tags[n].Versions); err != nil {
			return nil, err
		}
	}
	for _, number := range old {
		if !slices.Contains(numbers, number) {
			if err := deleteTagging(ctx, tx, i.Number, number); err != nil {
				return nil, err
			}
		}
	}
	return numbers, nil
}

// maxTagBytes bounds the tags that are kept.
const maxTagBytes = 2 << 20

// tagKey is how a tag is found.
type tagKey struct {
	teamID int64
	folded string
}

// makeTag finds a tag or makes it. Tags are never renamed or deleted, so what was
// found once is kept.
func (s *Service) makeTag(ctx context.Context, tx *database.Tx, teamID int64, name string) (Tag, error) {
	key := tagKey{teamID, tagging.Fold(name)}
	if t, ok := s.tags.Get(key); ok {
		return t, nil
	}
	t, err := upsertTag(ctx, tx, teamID, name, key.folded)
	if err == nil {
		tx.OnCommit(func() { s.tags.Put(key, Tag{Number: t.Number, Name: t.Name}) })
	}
	return t, err
}

// orEmpty keeps null off the wire.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// CreateTagging tags an item of the team and answers with the tag as it is spelt.
func (s Scope) CreateTagging(ctx context.Context, id string, t Tagging) (Tagging, error) {
	t.Versions = orEmpty(t.Versions)
	if err := tagging.Check(t); err != nil {
		return Tagging{}, err
	}
	same := func(other Tagging) bool { return tagging.Fold(other.Name) == tagging.Fold(t.Name) }
	tags, err := s.changeTags(ctx, id, func(tags []Tagging) ([]Tagging, error) {
		if n := slices.IndexFunc(tags, same); n >= 0 {
			tags[n].Versions = t.Versions
			return tags, nil
		}
		if len(tags) >= tagging.Max {
			return nil, errInvalid("An item has at most 5 tags")
		}
		return append(tags, t), nil
	})
	if n := slices.IndexFunc(tags, same); n >= 0 {
		t = tags[n]
	}
	return t, err
}

// DeleteTagging takes a tag, which is named by its name, off an item.
func (s Scope) DeleteTagging(ctx context.Context, id, name string) error {
	_, err := s.changeTags(ctx, id, func(tags []Tagging) ([]Tagging, error) {
		count := len(tags)
		tags = slices.DeleteFunc(tags, func(t Tagging) bool { return tagging.Fold(t.Name) == tagging.Fold(name) })
		if len(tags) == count {
			return nil, errNotFound()
		}
		return tags, nil
	})
	return err
}

// changeTags changes the tags of an item; every member of a team may.
func (s Scope) changeTags(ctx context.Context, id string,
	change func([]Tagging) ([]Tagging, error),
) (tags []Tagging, err error) {
	err = s.world.DB.WriteKeyed(ctx, itemKey(id), func(ctx context.Context, tx *database.Tx) error {
		i, err := s.visibleItemFull(ctx, tx, id)
		if err != nil {
			return err
		}
		tags, err = itemTaggings(ctx, tx, i.Number)
		if err != nil {
			return err
		}
		if tags, err = change(tags); err != nil {
			return err
		}
		old, err := tagNumbers(ctx, tx, i.Number)
		if err != nil {
			return err
		}
		numbers, err := s.tagItem(ctx, tx, &i, tags, old)
		if err != nil {
			return err
		}
		tags = i.Tags
		if err := s.index.Put(ctx, tx, searchItem(i)); err != nil {
			return err
		}
		return s.updateCounts(ctx, tx, i, countsOf(i, old), countsOf(i, numbers))
	})
	return tags, err
}

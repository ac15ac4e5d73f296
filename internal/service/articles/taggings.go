package articles

import (
	"context"
	"slices"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

// tagItem makes the item's tags those that are named, in the place of old, and sets
// them as they are spelt.
func (s *Service) tagItem(ctx context.Context, tx *database.Tx, i *Item, tags []Tagging, old []int64) (
	numbers []int64, err error,
) {
	i.Tags, numbers, err = s.tags.Replace(ctx, tx, i.Number, i.TeamID, tags, old)
	return numbers, err
}

// setTags sets the tags of items.
func setTags(ctx context.Context, q database.Querier, items []Item) error {
	numbers := make([]int64, len(items))
	for n, i := range items {
		numbers[n] = i.Number
	}
	tags, err := tagging.ByItem(ctx, q, numbers)
	for n := range items {
		items[n].Tags = tags[items[n].Number]
	}
	return err
}

// CreateTagging tags an item of the team and answers with the tag as it is spelt.
func (s Scope) CreateTagging(ctx context.Context, id string, t Tagging) (Tagging, error) {
	t = t.NotNull()
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
		tags, err = tagging.OfItem(ctx, tx, i.Number)
		if err != nil {
			return err
		}
		if tags, err = change(tags); err != nil {
			return err
		}
		old, err := tagging.Numbers(ctx, tx, i.Number)
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

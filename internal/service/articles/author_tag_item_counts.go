package articles

import (
	"context"
	"maps"
	"slices"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/articles/cache"
)

// itemCounts is what an item adds to the counts of its author and its tags: nothing
// while it is private.
type itemCounts struct {
	items int64
	tags  []int64
}

func countsOf(i Item, tags []int64) itemCounts {
	if i.Private {
		return itemCounts{}
	}
	return itemCounts{1, tags}
}

// updateCounts changes the counts of tags and of the author from what an item added
// to what it adds now. Tags come in the order of their numbers and the author last,
// so that two writers never wait for each other in a circle.
func (s *Service) updateCounts(ctx context.Context, tx *database.Tx, i Item, before, after itemCounts) error {
	added := after.items - before.items
	s.cache.CountItem(tx, cache.Entry{Number: i.Number, TeamID: i.TeamID, UserID: i.UserID}, added)
	by := map[int64]int64{}
	for _, tag := range after.tags {
		by[tag]++
	}
	for _, tag := range before.tags {
		by[tag]--
	}
	for _, tag := range slices.Sorted(maps.Keys(by)) {
		if by[tag] == 0 {
			continue
		}
		if err := addToCount(ctx, tx, countTagItems, by[tag], tag); err != nil {
			return err
		}
	}
	if i.TeamID != 0 || added == 0 {
		return nil
	}
	return addToCount(ctx, tx, countUserItems, added, i.UserID)
}

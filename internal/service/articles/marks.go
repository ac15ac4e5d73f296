package articles

import (
	"context"

	"stoa.dev/stoa/internal/platform/database"
)

// MarkItem likes or stocks an item that the caller may see, or takes it back.
func (s *Service) MarkItem(ctx context.Context, v Visit, id string, m mark, on bool) error {
	return s.world.DB.WriteKeyed(ctx, itemKey(id), func(ctx context.Context, tx *database.Tx) error {
		i, err := s.see(ctx, tx, v, id)
		if err != nil {
			return err
		}
		s.shelf.forget(tx, change{items: []int64{i.Number}})
		_, err = s.mark(ctx, tx, m, i.Number, v.userID(), on)
		return err
	})
}

// FollowTag follows a tag or stops following it.
func (s *Service) FollowTag(ctx context.Context, v Visit, name string, on bool) error {
	return s.world.DB.WriteKeyed(ctx, "articles/tag/"+fold(name), func(ctx context.Context, tx *database.Tx) error {
		t, err := s.store.tag(ctx, tx, v.teamID(), fold(name))
		if err != nil {
			return err
		}
		_, err = s.mark(ctx, tx, followMark(), t.Number, v.userID(), on)
		return err
	})
}

// mark tells by how much the count changed.
func (s *Service) mark(ctx context.Context, tx *database.Tx, m mark, thing, userID int64, on bool) (int64, error) {
	if on {
		return s.store.putMark(ctx, tx, m, thing, userID, s.now())
	}
	return s.store.clearMark(ctx, tx, m, thing, userID)
}

// Marked is not found unless the caller left the mark on the item.
func (s *Service) Marked(ctx context.Context, v Visit, id string, m mark) error {
	i, err := s.see(ctx, s.world.DB, v, id)
	if err != nil {
		return err
	}
	return s.marked(ctx, m, i.Number, v.userID())
}

func (s *Service) marked(ctx context.Context, m mark, thing, userID int64) error {
	has, err := s.store.hasMark(ctx, s.world.DB, m, thing, userID)
	if err == nil && !has {
		return errNotFound()
	}
	return err
}

// AddTagging tags an item of the team and answers with the tag as it is spelt.
func (s *Service) AddTagging(ctx context.Context, v Visit, id string, t Tagging) (Tagging, error) {
	t.Versions = versions(t)
	if err := checkTag(t); err != nil {
		return Tagging{}, err
	}
	tags, err := s.retag(ctx, v, id, func(tags []Tagging) ([]Tagging, error) {
		for n := range tags {
			if fold(tags[n].Name) == fold(t.Name) {
				tags[n].Versions = t.Versions
				return tags, nil
			}
		}
		if len(tags) >= maxTags {
			return nil, errBad("An item has at most 5 tags")
		}
		return append(tags, t), nil
	})
	for _, tag := range tags {
		if fold(tag.Name) == fold(t.Name) {
			t = tag
		}
	}
	return t, err
}

// RemoveTagging takes a tag, which is named by its name, off an item.
func (s *Service) RemoveTagging(ctx context.Context, v Visit, id, name string) error {
	_, err := s.retag(ctx, v, id, func(tags []Tagging) ([]Tagging, error) {
		var left []Tagging
		for _, t := range tags {
			if fold(t.Name) != fold(name) {
				left = append(left, t)
			}
		}
		if len(left) == len(tags) {
			return nil, errNotFound()
		}
		return left, nil
	})
	return err
}

// retag changes the tags of an item; every member of a team may.
func (s *Service) retag(ctx context.Context, v Visit, id string, change func([]Tagging) ([]Tagging, error)) (out []Tagging, err error) {
	err = s.world.DB.WriteKeyed(ctx, itemKey(id), func(ctx context.Context, tx *database.Tx) error {
		i, err := s.seeWhole(ctx, tx, v, id)
		if err != nil {
			return err
		}
		tags, err := s.store.taggings(ctx, tx, i.Number)
		if err != nil {
			return err
		}
		if tags, err = change(tags); err != nil {
			return err
		}
		old, err := s.store.tagNumbers(ctx, tx, i.Number)
		if err != nil {
			return err
		}
		var now []int64
		if out, now, err = s.tagItem(ctx, tx, i, tags, old); err != nil {
			return err
		}
		if err := s.indexItem(ctx, tx, i, out); err != nil {
			return err
		}
		return s.recount(ctx, tx, i, weigh(i, old), weigh(i, now))
	})
	return out, err
}

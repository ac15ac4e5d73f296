package tasks

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
)

// defaultTitle names the list that everybody starts with.
const defaultTitle = "My Tasks"

// ListLists returns up to limit lists after the one the page ended with,
// oldest first.
func (s *Service) ListLists(ctx context.Context, userID int64, after listCursor, limit int) ([]List, error) {
	if err := s.ensure(ctx, userID); err != nil {
		return nil, err
	}
	return s.store.lists(ctx, s.world.DB, userID, after, limit)
}

// GetList finds one of the person's lists.
func (s *Service) GetList(ctx context.Context, userID int64, id string) (List, error) {
	if id == DefaultList {
		if err := s.ensure(ctx, userID); err != nil {
			return List{}, err
		}
	}
	return s.store.list(ctx, s.world.DB, userID, id)
}

// InsertList makes a list.
func (s *Service) InsertList(ctx context.Context, userID int64, title string) (List, error) {
	if err := checkText("title", title, maxTitle); err != nil {
		return List{}, err
	}
	if err := s.ensure(ctx, userID); err != nil {
		return List{}, err
	}
	now := s.now()
	list := List{ID: s.newID(), UserID: userID, Title: title, Version: 1, CreatedAt: now, UpdatedAt: now}
	err := s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		n, err := s.store.addLists(ctx, tx, userID, 1)
		if err != nil {
			return err
		}
		if n > s.config.MaxLists {
			return errLimit("you have as many task lists as you may")
		}
		return s.store.insertList(ctx, tx, list)
	})
	return list, err
}

// UpdateList changes the title when one is sent. match, when not empty, is the
// etag the caller read.
func (s *Service) UpdateList(ctx context.Context, userID int64, id, match string, c ListChange) (List, error) {
	if err := checkText("title", c.Title.Value, maxTitle); err != nil {
		return List{}, err
	}
	if err := s.ensure(ctx, userID); err != nil {
		return List{}, err
	}
	var list List
	err := s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if list, err = s.store.list(ctx, tx, userID, id); err != nil {
			return err
		}
		if !matches(match, list.etag()) {
			return errChanged()
		}
		if c.ID != "" && c.ID != list.ID {
			return errInvalid("id", "does not match the address")
		}
		if c.Title.Present {
			list.Title = c.Title.Value
		}
		list.Version++
		list.UpdatedAt = s.now()
		return s.store.updateList(ctx, tx, list)
	})
	return list, err
}

// DeleteList removes a list and its tasks. The default list stays.
func (s *Service) DeleteList(ctx context.Context, userID int64, id, match string) error {
	if err := s.ensure(ctx, userID); err != nil {
		return err
	}
	return s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		list, err := s.store.list(ctx, tx, userID, id)
		if err != nil {
			return err
		}
		if !matches(match, list.etag()) {
			return errChanged()
		}
		user, err := s.store.user(ctx, tx, userID)
		if err != nil {
			return err
		}
		if user.defaultList == list.ID {
			return errInvalid("tasklist", "is the default list, which cannot be deleted")
		}
		tasks, err := s.store.countTasks(ctx, tx, list.ID)
		if err != nil {
			return err
		}
		if _, err := s.store.addTasks(ctx, tx, userID, taskCount{-tasks.living, -tasks.deleted}); err != nil {
			return err
		}
		if _, err := s.store.addLists(ctx, tx, userID, -1); err != nil {
			return err
		}
		return s.store.deleteList(ctx, tx, list.ID)
	})
}

// ensure makes the default list when a person comes for the first time. From
// then on it only reads.
func (s *Service) ensure(ctx context.Context, userID int64) error {
	_, err := s.revision(ctx, userID)
	return err
}

// revision is the number of the person's last change. It makes the default
// list when there is none yet.
func (s *Service) revision(ctx context.Context, userID int64) (int64, error) {
	n, err := s.store.revision(ctx, s.world.DB, userID)
	if !errors.Is(err, database.ErrNotFound) {
		return n, err
	}
	if err := s.welcome(ctx, userID); err != nil {
		return 0, err
	}
	return s.store.revision(ctx, s.world.DB, userID)
}

// welcome makes the person's default list, once.
func (s *Service) welcome(ctx context.Context, userID int64) error {
	now := s.now()
	list := List{ID: s.newID(), UserID: userID, Title: defaultTitle, Version: 1, CreatedAt: now, UpdatedAt: now}
	return s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		_, err := s.store.user(ctx, tx, userID)
		if !errors.Is(err, database.ErrNotFound) {
			return err
		}
		if err := s.store.insertUser(ctx, tx, userID, list.ID); err != nil {
			return err
		}
		return s.store.insertList(ctx, tx, list)
	})
}

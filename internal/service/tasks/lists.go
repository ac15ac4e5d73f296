package tasks

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
)

// defaultTitle is the title of the list that every user has from the first request on.
const defaultTitle = "My Tasks"

// ListLists returns up to limit lists after the one the page ended with,
// oldest first.
func (s *Service) ListLists(ctx context.Context, userID int64, after listCursor, limit int) ([]List, error) {
	if _, err := s.revision(ctx, userID); err != nil {
		return nil, err
	}
	return listLists(ctx, s.world.DB, userID, after, limit)
}

// GetList finds one of the user's lists.
func (s *Service) GetList(ctx context.Context, userID int64, id string) (List, error) {
	if id == DefaultList {
		if _, err := s.revision(ctx, userID); err != nil {
			return List{}, err
		}
	}
	return listByID(ctx, s.world.DB, userID, id)
}

// InsertList makes a list.
func (s *Service) InsertList(ctx context.Context, userID int64, title string) (List, error) {
	if err := checkText("title", title, maxTitle); err != nil {
		return List{}, err
	}
	now := s.now()
	list := List{ID: s.newID(), UserID: userID, Title: title, Version: 1, CreatedAt: now, UpdatedAt: now}
	err := s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		n, err := addListCount(ctx, tx, userID, 1)
		if err != nil {
			return err
		}
		if n > s.config.MaxLists {
			return errQuota("you have as many task lists as you may")
		}
		return insertList(ctx, tx, list)
	})
	return list, err
}

// UpdateList changes the title when one is sent. match, when not empty, is the
// etag the caller read.
func (s *Service) UpdateList(ctx context.Context, userID int64, id, match string, c ListChange) (List, error) {
	if err := checkText("title", c.Title.Value, maxTitle); err != nil {
		return List{}, err
	}
	var list List
	err := s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		var err error
		if list, err = listByID(ctx, tx, userID, id); err != nil {
			return err
		}
		if !wire.MatchTag(match, list.etag()) {
			return errChanged()
		}
		if c.ID != "" && c.ID != list.ID {
			return errInvalidField("id", "does not match the address")
		}
		if c.Title.Present {
			list.Title = c.Title.Value
		}
		list.Version++
		list.UpdatedAt = s.now()
		return updateList(ctx, tx, list)
	})
	return list, err
}

// DeleteList removes a list and its tasks. The default list stays.
func (s *Service) DeleteList(ctx context.Context, userID int64, id, match string) error {
	return s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		list, err := listByID(ctx, tx, userID, id)
		if err != nil {
			return err
		}
		if !wire.MatchTag(match, list.etag()) {
			return errChanged()
		}
		user, err := userByID(ctx, tx, userID)
		if err != nil {
			return err
		}
		if user.defaultList == list.ID {
			return errInvalidField("tasklist", "is the default list, which cannot be deleted")
		}
		tasks, err := countTasks(ctx, tx, list.ID)
		if err != nil {
			return err
		}
		if _, err := addTaskCount(ctx, tx, userID, taskCount{-tasks.live, -tasks.deleted}); err != nil {
			return err
		}
		if _, err := addListCount(ctx, tx, userID, -1); err != nil {
			return err
		}
		return deleteList(ctx, tx, list.ID)
	})
}

// revision is the number of the user's last change. The first call for a user
// creates the default list.
func (s *Service) revision(ctx context.Context, userID int64) (int64, error) {
	n, err := s.revisions.Get(ctx, s.world.DB, userID)
	if !errors.Is(err, database.ErrNotFound) {
		return n, err
	}
	if err := s.createDefaultList(ctx, userID); err != nil {
		return 0, err
	}
	return userRevision(ctx, s.world.DB, userID)
}

// createDefaultList inserts the user's row and default list, once.
func (s *Service) createDefaultList(ctx context.Context, userID int64) error {
	now := s.now()
	list := List{ID: s.newID(), UserID: userID, Title: defaultTitle, Version: 1, CreatedAt: now, UpdatedAt: now}
	return s.writeKeyed(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		_, err := userByID(ctx, tx, userID)
		if !errors.Is(err, database.ErrNotFound) {
			return err
		}
		if err := insertUser(ctx, tx, userID, list.ID); err != nil {
			return err
		}
		return insertList(ctx, tx, list)
	})
}

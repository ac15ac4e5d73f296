package tasks

import (
	"context"
	"errors"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
)

// ListTasks returns up to limit tasks of a list that pass the filter, in
// order: the top level first, then the children of each task.
func (s *Service) ListTasks(
	ctx context.Context, userID int64, listID string, f Filter, after taskCursor, limit int,
) ([]Task, error) {
	list, err := s.GetList(ctx, userID, listID)
	if err != nil {
		return nil, err
	}
	return listTasks(ctx, s.world.DB, list.ID, f, after, limit)
}

// GetTask finds a task that is not deleted.
func (s *Service) GetTask(ctx context.Context, userID int64, listID, id string) (Task, error) {
	list, err := s.GetList(ctx, userID, listID)
	if err != nil {
		return Task{}, err
	}
	return taskByID(ctx, s.world.DB, list.ID, id)
}

// InsertTask makes a task at a place. hidden makes it a cleared one at once,
// which only a completed task at the first place of the top level can be.
func (s *Service) InsertTask(
	ctx context.Context, userID int64, listID string, c Change, p Place, hidden bool,
) (Task, error) {
	now := s.now()
	t := Task{ID: s.newID(), UserID: userID, Status: NeedsAction, Version: 1, UpdatedAt: now, RankedAt: now}
	if err := s.apply(&t, c); err != nil {
		return Task{}, err
	}
	if hidden && (t.Status != Completed || p.Parent != "" || p.Previous != "") {
		return Task{}, errInvalidField("hidden", "is for completed tasks without parent and previous")
	}
	t.Hidden = hidden
	err := s.writeCounted(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		var open int64
		var err error
		if t.ListID, open, err = addToList(ctx, tx, userID, listID, boolToInt(t.open())); err != nil {
			return err
		}
		if t.open() && open > s.config.MaxListTasks {
			return errListFull()
		}
		if err := s.setPlace(ctx, tx, &t, p); err != nil {
			return err
		}
		count := taskCount{live: boolToInt(!t.Deleted), deleted: boolToInt(t.Deleted)}
		if err := s.addTask(ctx, tx, userID, count); err != nil {
			return err
		}
		return insertTask(ctx, tx, t)
	})
	return t, err
}

// UpdateTask applies a change. match, when not empty, is the etag the caller
// read. A deleted task takes only a change that brings it back.
func (s *Service) UpdateTask(ctx context.Context, userID int64, listID, id, match string, c Change) (Task, error) {
	var t Task
	err := s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		list, err := listByID(ctx, tx, userID, listID)
		if err != nil {
			return err
		}
		if t, err = anyTaskByID(ctx, tx, list.ID, id); err != nil {
			return err
		}
		if back, ok := c.Deleted.Get(); t.Deleted && (!ok || back) {
			return errNotFound("there is no such task")
		}
		if !wire.MatchTag(match, t.etag()) {
			return errChanged()
		}
		before := t
		if err := s.apply(&t, c); err != nil {
			return err
		}
		t.Version++
		t.UpdatedAt = s.now()
		if t.Deleted {
			return s.deleteTree(ctx, tx, before, t)
		}
		if before.Deleted {
			return s.restoreTree(ctx, tx, before, &t)
		}
		if before.Hidden && !t.Hidden {
			if err := s.leaveHiddenParent(ctx, tx, &t); err != nil {
				return err
			}
		}
		if err := s.updateCounts(ctx, tx, before, t); err != nil {
			return err
		}
		if err := completeWith(ctx, tx, before, t); err != nil {
			return err
		}
		return updateTask(ctx, tx, t)
	})
	return t, err
}

// completeWith completes what is open below a task that a change has completed.
func completeWith(ctx context.Context, tx *database.Tx, before, after Task) error {
	if before.Status == Completed || after.Status != Completed {
		return nil
	}
	return completeBelow(ctx, tx, after)
}

// leaveHiddenParent keeps a task that is shown again where it was, or puts it at the top
// level when its parent is not shown any more.
func (s *Service) leaveHiddenParent(ctx context.Context, tx *database.Tx, t *Task) error {
	if t.Parent == "" {
		return nil
	}
	err := s.checkParent(ctx, tx, t, t.Parent)
	var refused *Error
	if errors.As(err, &refused) {
		return s.setPlace(ctx, tx, t, Place{})
	}
	return err
}

// restoreTree brings a deleted task back with what was deleted together with it.
func (s *Service) restoreTree(ctx context.Context, tx *database.Tx, before Task, t *Task) error {
	if err := s.leaveHiddenParent(ctx, tx, t); err != nil {
		return err
	}
	if err := s.updateCounts(ctx, tx, before, *t); err != nil {
		return err
	}
	if err := updateTask(ctx, tx, *t); err != nil {
		return err
	}
	all, open, err := restoreBelow(ctx, tx, *t, before.UpdatedAt)
	if err != nil || all == 0 {
		return err
	}
	if err := completeWith(ctx, tx, before, *t); err != nil {
		return err
	}
	there, err := addOpenCount(ctx, tx, t.ListID, open)
	if err != nil {
		return err
	}
	mine, err := addTaskCount(ctx, tx, t.UserID, taskCount{all, -all})
	if err == nil && (there > s.config.MaxListTasks || mine.live > s.config.MaxTasks) {
		return errQuota("there are as many tasks as there may be")
	}
	return err
}

// DeleteTask marks a task and everything below it as deleted.
func (s *Service) DeleteTask(ctx context.Context, userID int64, listID, id, match string) error {
	_, err := s.UpdateTask(ctx, userID, listID, id, match, Change{Deleted: wire.Some(true)})
	return err
}

// Clear hides the completed tasks of a list. What is open below them goes to the top
// level: the parent of a task that is shown is shown too.
func (s *Service) Clear(ctx context.Context, userID int64, listID string) error {
	now := s.now()
	return s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		list, err := listByID(ctx, tx, userID, listID)
		if err != nil {
			return err
		}
		n, err := hideCompleted(ctx, tx, list.ID, now)
		if err != nil {
			return err
		}
		if _, err = addOpenCount(ctx, tx, list.ID, -n); err != nil {
			return err
		}
		return s.raiseOrphans(ctx, tx, list.ID, now)
	})
}

// raiseOrphans puts the tasks whose parents were cleared in front of the others at the top
// level, in the order that they had.
func (s *Service) raiseOrphans(ctx context.Context, tx *database.Tx, listID string, now time.Time) error {
	orphans, err := shownUnderHidden(ctx, tx, listID)
	if err != nil {
		return err
	}
	for _, id := range slices.Backward(orphans) {
		t := Task{ID: id, ListID: listID, UpdatedAt: now, RankedAt: now}
		if err := s.setPlace(ctx, tx, &t, Place{}); err != nil {
			return err
		}
		if err := updatePlace(ctx, tx, t); err != nil {
			return err
		}
	}
	return nil
}

// deleteTree stores the task, which was before until now, as deleted, and deletes
// everything below it.
func (s *Service) deleteTree(ctx context.Context, tx *database.Tx, before, t Task) error {
	if err := s.updateCounts(ctx, tx, before, t); err != nil {
		return err
	}
	if err := updateTask(ctx, tx, t); err != nil {
		return err
	}
	all, open, err := countBelow(ctx, tx, t)
	if err != nil || all == 0 {
		return err
	}
	if _, err := addOpenCount(ctx, tx, t.ListID, -open); err != nil {
		return err
	}
	if _, err := addTaskCount(ctx, tx, t.UserID, taskCount{-all, all}); err != nil {
		return err
	}
	return deleteBelow(ctx, tx, t)
}

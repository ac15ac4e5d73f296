package tasks

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
)

// ListTasks returns up to limit tasks of a list that pass the filter, in
// order: the top level first, then the children of each task.
func (s *Service) ListTasks(ctx context.Context, userID int64, listID string, f Filter, after taskCursor, limit int) ([]Task, error) {
	list, err := s.GetList(ctx, userID, listID)
	if err != nil {
		return nil, err
	}
	return s.store.tasks(ctx, s.world.DB, list.ID, f, after, limit)
}

// GetTask finds a task that is not deleted.
func (s *Service) GetTask(ctx context.Context, userID int64, listID, id string) (Task, error) {
	list, err := s.GetList(ctx, userID, listID)
	if err != nil {
		return Task{}, err
	}
	return s.store.task(ctx, s.world.DB, list.ID, id)
}

// InsertTask makes a task at a place. hidden makes it a cleared one at once,
// which only a completed task at the first place of the top level can be.
func (s *Service) InsertTask(ctx context.Context, userID int64, listID string, c Change, p Place, hidden bool) (Task, error) {
	if err := s.ensure(ctx, userID); err != nil {
		return Task{}, err
	}
	now := s.now()
	t := Task{ID: s.newID(), UserID: userID, Status: NeedsAction, Version: 1, UpdatedAt: now, RankedAt: now}
	if err := s.apply(&t, c); err != nil {
		return Task{}, err
	}
	if hidden && (t.Status != Completed || p.Parent != "" || p.Previous != "") {
		return Task{}, errInvalid("hidden", "is for completed tasks without parent and previous")
	}
	t.Hidden = hidden
	err := s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		list, err := s.store.list(ctx, tx, userID, listID)
		if err != nil {
			return err
		}
		t.ListID = list.ID
		if err := s.place(ctx, tx, &t, p); err != nil {
			return err
		}
		if err := s.count(ctx, tx, Task{}, t); err != nil {
			return err
		}
		return s.store.insertTask(ctx, tx, t)
	})
	return t, err
}

// UpdateTask applies a change. match, when not empty, is the etag the caller
// read.
func (s *Service) UpdateTask(ctx context.Context, userID int64, listID, id, match string, c Change) (Task, error) {
	if err := s.ensure(ctx, userID); err != nil {
		return Task{}, err
	}
	var t Task
	err := s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		list, err := s.store.list(ctx, tx, userID, listID)
		if err != nil {
			return err
		}
		if t, err = s.store.task(ctx, tx, list.ID, id); err != nil {
			return err
		}
		if !matches(match, t.etag()) {
			return errChanged()
		}
		before := t
		if err := s.apply(&t, c); err != nil {
			return err
		}
		t.Version++
		t.UpdatedAt = s.now()
		if t.Deleted {
			return s.remove(ctx, tx, before, t)
		}
		if err := s.count(ctx, tx, before, t); err != nil {
			return err
		}
		return s.store.updateTask(ctx, tx, t)
	})
	return t, err
}

// DeleteTask marks a task and everything below it as deleted.
func (s *Service) DeleteTask(ctx context.Context, userID int64, listID, id, match string) error {
	_, err := s.UpdateTask(ctx, userID, listID, id, match, Change{Deleted: some(true)})
	return err
}

// Clear hides the completed tasks of a list.
func (s *Service) Clear(ctx context.Context, userID int64, listID string) error {
	if err := s.ensure(ctx, userID); err != nil {
		return err
	}
	now := s.now()
	return s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		list, err := s.store.list(ctx, tx, userID, listID)
		if err != nil {
			return err
		}
		n, err := s.store.hideCompleted(ctx, tx, list.ID, now)
		if err != nil {
			return err
		}
		_, err = s.store.addOpen(ctx, tx, list.ID, -n)
		return err
	})
}

// remove deletes the task, which was before, and everything below it.
func (s *Service) remove(ctx context.Context, tx *database.Tx, before, t Task) error {
	if err := s.count(ctx, tx, before, t); err != nil {
		return err
	}
	if err := s.store.updateTask(ctx, tx, t); err != nil {
		return err
	}
	all, open, err := s.store.countBelow(ctx, tx, t)
	if err != nil || all == 0 {
		return err
	}
	if _, err := s.store.addOpen(ctx, tx, t.ListID, -open); err != nil {
		return err
	}
	if _, err := s.store.addTasks(ctx, tx, t.UserID, taskCount{-all, all}); err != nil {
		return err
	}
	return s.store.deleteBelow(ctx, tx, t)
}

// count keeps the numbers that limits are held against. A zero before is a
// task that did not exist.
func (s *Service) count(ctx context.Context, tx *database.Tx, before, after Task) error {
	if n := count(after.open()) - count(before.ID != "" && before.open()); n != 0 {
		open, err := s.store.addOpen(ctx, tx, after.ListID, n)
		if err != nil {
			return err
		}
		if n > 0 && open > s.config.MaxListTasks {
			return errLimit("the list has as many tasks as it may")
		}
	}
	add := taskCount{
		living:  count(!after.Deleted) - count(before.ID != "" && !before.Deleted),
		deleted: count(after.Deleted) - count(before.ID != "" && before.Deleted),
	}
	if add == (taskCount{}) {
		return nil
	}
	all, err := s.store.addTasks(ctx, tx, after.UserID, add)
	if err != nil {
		return err
	}
	if add.living > 0 && all.living > s.config.MaxTasks {
		return errLimit("you have as many tasks as you may")
	}
	if over := min(all.living+all.deleted-s.config.MaxTasks, all.deleted-add.deleted); over > 0 {
		_, err = s.forget(ctx, tx, after.UserID, s.now().Add(time.Millisecond), over) // those of this moment too
	}
	return err
}

// taskCount is how many tasks a user has. Both together are never more than
// MaxTasks, so that rows do not grow with requests: deleted ones make room, the
// oldest first.
type taskCount struct{ living, deleted int64 }

// forget deletes the rows of up to most tasks that were deleted before a time.
func (s *Service) forget(ctx context.Context, tx *database.Tx, userID int64, before time.Time, most int64) (int64, error) {
	n, err := s.store.forgetDeleted(ctx, tx, userID, before, most)
	if err != nil || n == 0 {
		return n, err
	}
	_, err = s.store.addTasks(ctx, tx, userID, taskCount{deleted: -n})
	return n, err
}

func count(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

func some[T any](v T) wire.Optional[T] { return wire.Some(v) }

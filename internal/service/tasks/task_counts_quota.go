package tasks

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// updateCounts updates the numbers that the limits are compared with. A zero before
// means a task that did not exist.
func (s *Service) updateCounts(ctx context.Context, tx *database.Tx, before, after Task) error {
	if n := boolToInt(after.open()) - boolToInt(before.ID != "" && before.open()); n != 0 {
		open, err := addOpenCount(ctx, tx, after.ListID, n)
		if err != nil {
			return err
		}
		if n > 0 && open > s.config.MaxListTasks {
			return errListFull()
		}
	}
	add := taskCount{
		live:    boolToInt(!after.Deleted) - boolToInt(before.ID != "" && !before.Deleted),
		deleted: boolToInt(after.Deleted) - boolToInt(before.ID != "" && before.Deleted),
	}
	if add == (taskCount{}) {
		return nil
	}
	return s.addTask(ctx, tx, after.UserID, add)
}

func errListFull() error { return errQuota("the list has as many tasks as it may") }

// addTask counts a task of a user and makes space for it.
func (s *Service) addTask(ctx context.Context, tx *database.Tx, userID int64, add taskCount) error {
	all, err := addTaskCount(ctx, tx, userID, add)
	if err != nil {
		return err
	}
	if add.live > 0 && all.live > s.config.MaxTasks {
		return errQuota("you have as many tasks as you may")
	}
	if over := min(all.live+all.deleted-s.config.MaxTasks, all.deleted-add.deleted); over > 0 {
		_, err = s.purge(ctx, tx, userID, s.now().Add(time.Millisecond), over) // those of this moment too
	}
	return err
}

// taskCount is how many tasks a user has. Both together are never more than
// MaxTasks, so that rows do not grow with requests: the oldest deleted ones are
// removed first.
type taskCount struct{ live, deleted int64 }

// purge removes the rows of up to limit tasks that were deleted before a time.
func (s *Service) purge(
	ctx context.Context, tx *database.Tx, userID int64, before time.Time, limit int64,
) (int64, error) {
	n, err := purgeDeleted(ctx, tx, userID, before, limit)
	if err != nil || n == 0 {
		return n, err
	}
	_, err = addTaskCount(ctx, tx, userID, taskCount{deleted: -n})
	return n, err
}

func boolToInt(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

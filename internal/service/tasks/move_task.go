package tasks

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
)

// MoveTask puts a task, and everything below it, at another place of its list
// or of another list of the same user.
func (s *Service) MoveTask(ctx context.Context, userID int64, listID, id string, p Place) (Task, error) {
	var t Task
	err := s.write(ctx, userID, func(ctx context.Context, tx *database.Tx) error {
		from, err := listByID(ctx, tx, userID, listID)
		if err != nil {
			return err
		}
		to := from
		if p.Destination != "" {
			if to, err = listByID(ctx, tx, userID, p.Destination); err != nil {
				return err
			}
		}
		if t, err = taskByID(ctx, tx, from.ID, id); err != nil {
			return err
		}
		if t.Hidden && (p.Parent != "" || p.Previous != "") {
			return errInvalidField("parent", "and previous must be empty for a hidden task")
		}
		if err := s.refuseCycle(ctx, tx, t, p); err != nil {
			return err
		}
		return s.move(ctx, tx, &t, to.ID, p)
	})
	return t, err
}

// refuseCycle keeps a task from becoming its own ancestor or its own
// predecessor.
func (s *Service) refuseCycle(ctx context.Context, tx *database.Tx, t Task, p Place) error {
	if p.Parent == t.ID || p.Previous == t.ID {
		return errInvalidField("parent", "and previous must not be the task itself")
	}
	if p.Parent == "" {
		return nil
	}
	cycle, err := isBelow(ctx, tx, t.ListID, p.Parent, t.ID)
	if err == nil && cycle {
		return errInvalidField("parent", "must not be below the task that is moved")
	}
	return err
}

// move changes the task's place and takes its descendants along, which change
// too: their list is another one.
func (s *Service) move(ctx context.Context, tx *database.Tx, t *Task, to string, p Place) error {
	from, now := t.ListID, s.now()
	_, open, err := countBelow(ctx, tx, *t)
	if err != nil {
		return err
	}
	open += boolToInt(t.open())
	t.ListID, t.UpdatedAt, t.RankedAt = to, now, now
	t.Version++
	if err := s.setPlace(ctx, tx, t, p); err != nil {
		return err
	}
	if err := updateTask(ctx, tx, *t); err != nil || from == to {
		return err
	}
	if err := moveBelow(ctx, tx, from, *t); err != nil {
		return err
	}
	if _, err := addOpenCount(ctx, tx, from, -open); err != nil {
		return err
	}
	there, err := addOpenCount(ctx, tx, to, open)
	if err == nil && there > s.config.MaxListTasks {
		return errQuota("the list has as many tasks as it may")
	}
	return err
}

// setPlace gives the task its parent and a rank between its new neighbours.
func (s *Service) setPlace(ctx context.Context, tx *database.Tx, t *Task, p Place) error {
	if p.Parent != "" {
		if err := s.checkParent(ctx, tx, t, p.Parent); err != nil {
			return err
		}
	}
	t.Parent = p.Parent
	if err := s.setRank(ctx, tx, t, p); err != nil || len(t.Rank) <= maxRank {
		return err
	}
	if err := s.respaceSiblings(ctx, tx, *t); err != nil {
		return err
	}
	return s.setRank(ctx, tx, t, p)
}

// setRank gives the task a rank between its new neighbours.
func (s *Service) setRank(ctx context.Context, tx *database.Tx, t *Task, p Place) error {
	var left Task
	if p.Previous != "" {
		var err error
		if left, err = s.sibling(ctx, tx, t, p.Previous); err != nil {
			return err
		}
	}
	right, err := nextSibling(ctx, tx, t.ListID, t.Parent, left.Rank, t.ID)
	if err != nil {
		return err
	}
	last := noEdge
	switch {
	case left.RankedAt.After(right.RankedAt):
		last = leftEdge
	case right.RankedAt.After(left.RankedAt):
		last = rightEdge
	}
	t.Rank = rankBetween(left.Rank, right.Rank, last)
	return nil
}

// respaceSiblings gives the siblings of a task short ranks again. That is rare: it
// takes thousands of moves to and fro at one place.
func (s *Service) respaceSiblings(ctx context.Context, tx *database.Tx, t Task) error {
	siblings, err := siblingIDs(ctx, tx, t.ListID, t.Parent, t.ID)
	if err != nil {
		return err
	}
	for i, id := range siblings {
		if err := updateRank(ctx, tx, id, spacedRank(i)); err != nil {
			return err
		}
	}
	return nil
}

// checkParent checks that the parent is a visible task of the same list that may
// have one more child.
func (s *Service) checkParent(ctx context.Context, tx *database.Tx, t *Task, id string) error {
	parent, err := taskByID(ctx, tx, t.ListID, id)
	var refused *Error
	if errors.As(err, &refused) || (err == nil && parent.Hidden) {
		return errInvalidField("parent", "must be a visible task of the list")
	}
	if err != nil {
		return err
	}
	children, err := countChildren(ctx, tx, t.ListID, id, t.ID)
	if err != nil {
		return err
	}
	if children >= s.config.MaxChildren {
		return errQuota("the parent has as many children as it may")
	}
	return nil
}

// sibling finds the task that the new one goes behind.
func (s *Service) sibling(ctx context.Context, tx *database.Tx, t *Task, id string) (Task, error) {
	previous, err := taskByID(ctx, tx, t.ListID, id)
	var refused *Error
	if errors.As(err, &refused) || (err == nil && (previous.Hidden || previous.Parent != t.Parent)) {
		return Task{}, errInvalidField("previous", "must be a visible task with the same parent")
	}
	return previous, err
}

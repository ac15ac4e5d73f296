package tasks

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
)

// MoveTask puts a task, and everything below it, at another place of its list
// or of another list of the same person.
func (s *Service) MoveTask(ctx context.Context, userID int64, listID, id string, p Place) (Task, error) {
	if err := s.ensure(ctx, userID); err != nil {
		return Task{}, err
	}
	var t Task
	err := s.write(ctx, userID, func(tx *database.Tx) error {
		from, err := s.store.list(ctx, tx, userID, listID)
		if err != nil {
			return err
		}
		to := from
		if p.Destination != "" {
			if to, err = s.store.list(ctx, tx, userID, p.Destination); err != nil {
				return err
			}
		}
		if t, err = s.store.task(ctx, tx, from.ID, id); err != nil {
			return err
		}
		if t.Hidden && (p.Parent != "" || p.Previous != "") {
			return errInvalid("parent", "and previous must be empty for a hidden task")
		}
		below, err := s.store.subtree(ctx, tx, from.ID, t.ID)
		if err != nil {
			return err
		}
		if err := refuseCycle(t, below, p); err != nil {
			return err
		}
		return s.move(ctx, tx, &t, below, to.ID, p)
	})
	return t, err
}

// refuseCycle keeps a task from becoming its own ancestor or its own
// predecessor.
func refuseCycle(t Task, below []Task, p Place) error {
	if p.Parent == t.ID || p.Previous == t.ID {
		return errInvalid("parent", "and previous must not be the task itself")
	}
	for _, d := range below {
		if p.Parent == d.ID {
			return errInvalid("parent", "must not be below the task that is moved")
		}
	}
	return nil
}

// move changes the task's place and takes its descendants along.
func (s *Service) move(ctx context.Context, tx *database.Tx, t *Task, below []Task, to string, p Place) error {
	from := t.ListID
	t.ListID = to
	t.Version++
	t.UpdatedAt, t.RankedAt = s.now(), s.now()
	if err := s.place(ctx, tx, t, p); err != nil {
		return err
	}
	if err := s.store.updateTask(ctx, tx, *t); err != nil || from == to {
		return err
	}
	var open int64
	for _, d := range append([]Task{*t}, below...) {
		open += count(d.open())
		if d.ID == t.ID {
			continue
		}
		d.ListID = to
		if err := s.store.updateTask(ctx, tx, d); err != nil {
			return err
		}
	}
	if _, err := s.store.addOpen(ctx, tx, from, -open); err != nil {
		return err
	}
	now, err := s.store.addOpen(ctx, tx, to, open)
	if err == nil && now > s.config.MaxListTasks {
		return errLimit("the list has as many tasks as it may")
	}
	return err
}

// place gives the task its parent and a rank between its new neighbours.
func (s *Service) place(ctx context.Context, tx *database.Tx, t *Task, p Place) error {
	if p.Parent != "" {
		if err := s.checkParent(ctx, tx, t, p.Parent); err != nil {
			return err
		}
	}
	t.Parent = p.Parent
	var left Task
	if p.Previous != "" {
		var err error
		if left, err = s.sibling(ctx, tx, t, p.Previous); err != nil {
			return err
		}
	}
	right, err := s.store.next(ctx, tx, t.ListID, t.Parent, left.Rank, t.ID)
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

// checkParent holds that the parent is a visible task of the same list with
// room for one more child.
func (s *Service) checkParent(ctx context.Context, tx *database.Tx, t *Task, id string) error {
	parent, err := s.store.task(ctx, tx, t.ListID, id)
	var refused *Error
	if errors.As(err, &refused) || (err == nil && parent.Hidden) {
		return errInvalid("parent", "must be a visible task of the list")
	}
	if err != nil {
		return err
	}
	children, err := s.store.countChildren(ctx, tx, t.ListID, id, t.ID)
	if err != nil {
		return err
	}
	if children >= s.config.MaxChildren {
		return errLimit("the parent has as many children as it may")
	}
	return nil
}

// sibling finds the task that the new one goes behind.
func (s *Service) sibling(ctx context.Context, tx *database.Tx, t *Task, id string) (Task, error) {
	previous, err := s.store.task(ctx, tx, t.ListID, id)
	var refused *Error
	if errors.As(err, &refused) || (err == nil && (previous.Hidden || previous.Parent != t.Parent)) {
		return Task{}, errInvalid("previous", "must be a visible task with the same parent")
	}
	return previous, err
}

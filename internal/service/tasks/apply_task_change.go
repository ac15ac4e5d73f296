package tasks

import "time"

// apply lays the sent members over the task. A null clears a member; the
// status decides about the time of completion and whether the task is hidden.
func (s *Service) apply(t *Task, c Change) error {
	if err := applyTexts(t, c); err != nil {
		return err
	}
	if c.Due.Present {
		t.Due = time.Time{}
		if text, ok := c.Due.Get(); ok {
			day, err := parseDay("due", text)
			if err != nil {
				return err
			}
			t.Due = day
		}
	}
	if err := s.applyStatus(t, c); err != nil {
		return err
	}
	if c.Deleted.Present {
		t.Deleted = c.Deleted.Value
	}
	return nil
}

func applyTexts(t *Task, c Change) error {
	if c.Title.Present {
		t.Title = c.Title.Value
	}
	if c.Notes.Present {
		t.Notes = c.Notes.Value
	}
	if err := checkText("title", t.Title, maxTitle); err != nil {
		return err
	}
	return checkText("notes", t.Notes, maxNotes)
}

// applyStatus checks that a completed task has a time and an open one has none.
// Sending only a time of completion completes the task.
func (s *Service) applyStatus(t *Task, c Change) error {
	status := t.Status
	if c.Status.Present {
		status = NeedsAction
		if text, ok := c.Status.Get(); ok {
			var err error
			if status, err = parseStatus(text); err != nil {
				return err
			}
		}
	}
	at, given := c.CompletedAt.Get()
	if given && !c.Status.Present {
		status = Completed
	}
	t.Status = status
	if status == NeedsAction {
		t.CompletedAt, t.Hidden = time.Time{}, false
		return nil
	}
	switch {
	case given:
		completed, err := parseTime("completed", at)
		if err != nil {
			return err
		}
		t.CompletedAt = completed.UTC().Truncate(time.Millisecond)
	case t.CompletedAt.IsZero():
		t.CompletedAt = s.now()
	}
	return nil
}

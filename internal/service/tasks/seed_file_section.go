package tasks

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/seed"
	"stoa.dev/stoa/internal/platform/wire"
)

type seedList struct {
	User    string     `json:"user" doc:"Whose list it is."`
	Title   string     `json:"title,omitempty" doc:"The title; a default list keeps its own without one."`
	Default bool       `json:"default,omitempty" doc:"Whether it is the list that every user has."`
	Tasks   []seedTask `json:"tasks,omitempty" doc:"The tasks from first to last."`
}

type seedTask struct {
	Title     string     `json:"title" doc:"What is to be done."`
	Notes     string     `json:"notes,omitempty" doc:"A longer text."`
	Due       string     `json:"due,omitempty" doc:"A time such as 2030-01-31T00:00:00.000Z, of which the day counts."`
	Status    string     `json:"status,omitempty" enum:"needsAction,completed" doc:"needsAction when left out."`
	Completed string     `json:"completed,omitempty" doc:"When it was completed."`
	Hidden    bool       `json:"hidden,omitempty" doc:"Whether it was cleared from the list."`
	Tasks     []seedTask `json:"tasks,omitempty" doc:"The tasks below it."`
}

// maxSeedRows bounds what is read of one list; the quota of a user is lower.
const maxSeedRows = 1 << 20

// seeds is the section of task lists. A written file leaves deleted tasks out.
func (s *Service) seeds() []seed.Section {
	return []seed.Section{seed.NewSection("taskLists", "Task lists", s.seedList, s.writeLists)}
}

func (s *Service) seedList(ctx context.Context, _ *seed.Run, l seedList) error {
	user, err := s.identity.UserByName(ctx, l.User)
	if err != nil {
		return seed.At(err, "user")
	}
	var list List
	if l.Default {
		if list, err = s.GetList(ctx, user.ID, DefaultList); err == nil && l.Title != "" && l.Title != list.Title {
			list, err = s.UpdateList(ctx, user.ID, list.ID, "", ListChange{Title: wire.Some(l.Title)})
		}
	} else {
		list, err = s.InsertList(ctx, user.ID, l.Title)
	}
	if err != nil {
		return err
	}
	return s.seedTasks(ctx, list, "", l.Tasks)
}

func (s *Service) seedTasks(ctx context.Context, list List, parent string, tasks []seedTask) error {
	previous := ""
	for i, t := range tasks {
		c := Change{Title: wire.Some(t.Title)}
		for _, m := range []struct {
			to   *wire.Optional[string]
			text string
		}{{&c.Notes, t.Notes}, {&c.Due, t.Due}, {&c.Status, t.Status}, {&c.CompletedAt, t.Completed}} {
			if m.text != "" {
				*m.to = wire.Some(m.text)
			}
		}
		place := Place{Parent: parent, Previous: previous}
		if t.Hidden {
			place.Previous = "" // cleared tasks have no place among the others
		}
		task, err := s.InsertTask(ctx, list.UserID, list.ID, c, place, t.Hidden)
		if err != nil {
			return seed.At(err, "tasks", i)
		}
		if !t.Hidden {
			previous = task.ID
		}
		if err := s.seedTasks(ctx, list, task.ID, t.Tasks); err != nil {
			return seed.At(err, "tasks", i)
		}
	}
	return nil
}

func (s *Service) writeLists(ctx context.Context) ([]seedList, error) {
	users, err := s.identity.Users(ctx, 0, maxSeedRows)
	if err != nil {
		return nil, err
	}
	var out []seedList
	for _, u := range users {
		lists, err := s.ListLists(ctx, u.ID, listCursor{}, maxSeedRows)
		if err != nil {
			return nil, err
		}
		row, err := userByID(ctx, s.world.DB, u.ID)
		if err != nil {
			return nil, err
		}
		sortLists(lists, row.defaultList)
		for _, l := range lists {
			tasks, err := listTasks(ctx, s.world.DB, l.ID, Filter{ShowCompleted: true, ShowHidden: true}, taskCursor{},
				maxSeedRows)
			if err != nil {
				return nil, err
			}
			list := seedList{User: u.Name, Title: l.Title, Default: l.ID == row.defaultList, Tasks: tasksBelow(tasks, "")}
			if !list.Default || len(tasks) > 0 || l.Title != defaultTitle {
				out = append(out, list)
			}
		}
	}
	return out, nil
}

// sortLists puts the default list first and those of one instant in the order of their
// titles: their identifiers are another order in every world.
func sortLists(lists []List, first string) {
	slices.SortStableFunc(lists, func(a, b List) int {
		switch first {
		case a.ID:
			return -1
		case b.ID:
			return 1
		}
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.Title, b.Title))
	})
}

// tasksBelow are the tasks below one, in their order.
func tasksBelow(all []Task, parent string) []seedTask {
	var level []Task
	for _, t := range all {
		if t.Parent == parent {
			level = append(level, t)
		}
	}
	slices.SortStableFunc(level, func(a, b Task) int { return strings.Compare(a.Position(), b.Position()) })
	var out []seedTask
	for _, t := range level {
		task := seedTask{Title: t.Title, Notes: t.Notes, Hidden: t.Hidden, Tasks: tasksBelow(all, t.ID)}
		if !t.Due.IsZero() {
			task.Due = t.Due.UTC().Format(time.RFC3339)
		}
		if t.Status == Completed {
			task.Status, task.Completed = string(t.Status), t.CompletedAt.UTC().Format(time.RFC3339Nano)
		}
		out = append(out, task)
	}
	return out
}

package tasks

import (
	"fmt"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/wire"
)

// DefaultList is the name under which everybody finds their first list.
const DefaultList = "@default"

// The longest texts, in characters.
const (
	maxTitle = 1024
	maxNotes = 8192
)

// Status says whether a task is done.
type Status string

// The statuses.
const (
	NeedsAction Status = "needsAction"
	Completed   Status = "completed"
)

// parseStatus refuses any other word.
func parseStatus(text string) (Status, error) {
	switch s := Status(text); s {
	case NeedsAction, Completed:
		return s, nil
	}
	return "", errInvalid("status", "must be needsAction or completed")
}

// List is a task list.
type List struct {
	ID        string
	UserID    int64
	Title     string
	OpenCount int64
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Task is one thing to do.
type Task struct {
	ID     string
	ListID string
	UserID int64
	// Parent is empty at the top level.
	Parent string
	// Rank orders siblings; RankedAt is when the task was put there.
	Rank     string
	RankedAt time.Time
	Title    string
	Notes    string
	Status   Status
	// Due is a day at midnight UTC, zero when there is none.
	Due         time.Time
	CompletedAt time.Time
	Hidden      bool
	Deleted     bool
	Version     int64
	UpdatedAt   time.Time
}

// open reports whether the task counts against the list's limit.
func (t Task) open() bool { return !t.Hidden && !t.Deleted }

// Position is the text that clients sort siblings by. Hidden tasks sort behind
// the open ones, the latest completed first.
func (t Task) Position() string {
	if t.Hidden && !t.CompletedAt.IsZero() {
		return fmt.Sprintf("%020d", uint64(9_999_999_999_999_999_999)-uint64(t.CompletedAt.UnixMilli()))
	}
	return t.Rank
}

// ListChange holds the writable member of a list as it was sent, and the id
// that the sender believes the list has; empty is any.
type ListChange struct {
	ID    string
	Title wire.Optional[string]
}

// Change holds the writable members of a task as they were sent.
type Change struct {
	Title, Notes, Status, Due, CompletedAt wire.Optional[string]
	Deleted                                wire.Optional[bool]
}

// Place says where among its siblings a task goes.
type Place struct {
	// Parent is empty for the top level, Previous for the first place.
	Parent, Previous string
	// Destination is another list, empty to stay.
	Destination string
}

// Filter narrows tasks.list. Zero times do not narrow.
type Filter struct {
	ShowCompleted, ShowHidden, ShowDeleted bool

	DueMin, DueMax             time.Time
	CompletedMin, CompletedMax time.Time
	UpdatedMin                 time.Time
}

func checkText(field, text string, most int) error {
	if utf8.RuneCountInString(text) > most {
		return errInvalid(field, fmt.Sprintf("must have at most %d characters", most))
	}
	return nil
}

// parseDay reads a full RFC 3339 time and keeps its day.
func parseDay(field, text string) (time.Time, error) {
	t, err := parseTime(field, text)
	if err != nil {
		return time.Time{}, err
	}
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC), nil
}

func parseTime(field, text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if y := t.UTC().Year(); err != nil || y < 1 || y > 9999 {
		return time.Time{}, errInvalid(field, "must be a time such as 2030-01-31T00:00:00.000Z")
	}
	return t, nil
}

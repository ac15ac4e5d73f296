package tasks

import (
	"fmt"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/wire"
)

// DefaultList is the name by which every user's first list can be addressed.
const DefaultList = "@default"

// In characters.
const (
	maxTitle = 1024
	maxNotes = 8192
)

// Status is whether a task is done.
type Status string

// CompletedAt is set exactly when the status is Completed.
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
	return "", errInvalidField("status", "must be needsAction or completed")
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
	// Due is a day at midnight UTC, or zero.
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

// Place is where a task goes among its siblings.
type Place struct {
	// An empty Parent is the top level, an empty Previous the first place.
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

func checkText(field, text string, limit int) error {
	if utf8.RuneCountInString(text) > limit {
		return errInvalidField(field, "must have at most %d characters", limit)
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
		return time.Time{}, errInvalidField(field, "must be a time such as 2030-01-31T00:00:00.000Z")
	}
	return t, nil
}

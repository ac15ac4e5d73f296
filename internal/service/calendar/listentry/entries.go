package listentry

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// Row is a stored calendar of a user's list.
type Row struct {
	UserID   int64
	Calendar string
	Doc      Entry
	Deleted  bool
	Seq      int64
	Updated  time.Time
}

// Changed is called in the transaction in which a user's list changed.
type Changed func(ctx context.Context, tx *database.Tx, user int64, now time.Time) error

// Entries are those of all lists.
type Entries struct{ changed Changed }

// NewEntries makes the entries of a world.
func NewEntries(changed Changed) *Entries { return &Entries{changed: changed} }

// maxEntries is how many entries one user may have, those included that were
// deleted while a sync token can still ask for them.
const maxEntries = 5_000

// count counts an entry if it is new, and refuses it beyond those that a
// user may have.
func count(ctx context.Context, tx *database.Tx, user int64, calendar string) error {
	_, err := ByID(ctx, tx, user, calendar)
	if missing, err := refusal.IsMissing(err); !missing || err != nil {
		return err
	}
	n, err := addCount(ctx, tx, user, 1)
	if err == nil && n > maxEntries {
		return refusal.Quota("the list of one user has %d calendars at most, "+
			"those included that were taken from it lately.", maxEntries)
	}
	return err
}

// Put writes an entry and announces it.
func (s *Entries) Put(ctx context.Context, tx *database.Tx, e Row, now time.Time) (err error) {
	// This locks the user's list, so that no entry is counted twice.
	if e.Seq, err = nextChange(ctx, tx, e.UserID); err != nil {
		return err
	}
	if err := count(ctx, tx, e.UserID, e.Calendar); err != nil {
		return err
	}
	if err := upsert(ctx, tx, e); err != nil {
		return err
	}
	return s.changed(ctx, tx, e.UserID, now)
}

// Remove takes an entry from a list, if it is there.
func (s *Entries) Remove(ctx context.Context, tx *database.Tx, user int64, calendar string, now time.Time) error {
	e, err := ByID(ctx, tx, user, calendar)
	if missing, err := refusal.IsMissing(err); missing || err != nil || e.Deleted {
		return err
	}
	e.Deleted, e.Updated = true, now
	return s.Put(ctx, tx, e, now)
}

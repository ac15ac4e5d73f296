package calendar

import (
	"bytes"
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/calendar/listentry"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/reason"
)

// entryFilter selects entries of a list.
type entryFilter struct {
	deleted, hidden bool
	role            Role
}

// ListCalendarList is a page of the caller's calendars.
func (s *Service) ListCalendarList(
	ctx context.Context, u user, l listing.Request, f entryFilter,
) (*calendarListJSON, error) {
	l.Bind = "list " + u.address
	cur, err := s.tokens.Open(l)
	if err != nil {
		return nil, err
	}
	var entries []entryRow
	var seq int64
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if seq, err = listSeq(ctx, tx, u.id); err != nil {
			return err
		}
		entries, err = listEntries(ctx, tx, u.id, cur.After, f.deleted || cur.Sync, l.Size+1)
		return err
	})
	if err != nil {
		return nil, err
	}
	if l.PageToken == "" {
		cur.Seq = seq
	}
	out := &calendarListJSON{Kind: "calendar#calendarList", Items: []*entryJSON{}}
	entries, out.NextPageToken, out.NextSyncToken = listing.Paginate(s.tokens, l, cur, entries,
		func(e entryRow) int64 { return e.seq })
	for _, e := range entries {
		item, err := s.readEntry(ctx, s.world.DB, u, e)
		if err != nil {
			return nil, err
		}
		hidden := item.Hidden && !f.hidden && !cur.Sync
		gone := item.Deleted && !f.deleted && !cur.Sync
		if !hidden && !gone && (item.Deleted || Role(item.AccessRole).Allows(f.role)) {
			out.Items = append(out.Items, item)
		}
	}
	out.ETag = listTag(seq, out.Items)
	return out, nil
}

// readEntry shows an entry with what is true of its calendar now.
func (s *Service) readEntry(ctx context.Context, q database.Querier, u user, e entryRow) (*entryJSON, error) {
	c, err := calendarByID(ctx, q, e.calendar)
	if missing, err := isMissing(err); missing || err != nil {
		return s.entryToWire(e, c, RoleNone), err
	}
	role, _, err := s.roleOf(ctx, q, u, c.id)
	return s.entryToWire(e, c, role), err
}

// GetCalendarList reads one entry.
func (s *Service) GetCalendarList(ctx context.Context, u user, id string) (*entryJSON, error) {
	e, err := entryByID(ctx, s.world.DB, u.id, u.calendar(id))
	if err != nil {
		return nil, err
	}
	out, err := s.readEntry(ctx, s.world.DB, u, e)
	if err == nil && out.Deleted {
		return nil, errNotFound()
	}
	return out, err
}

// InsertCalendarList puts a calendar that the caller may see on the list.
func (s *Service) InsertCalendarList(ctx context.Context, u user, doc entryJSON, rgb bool) (*entryJSON, error) {
	if doc.ID == "" {
		return nil, reason.Required("id")
	}
	c, role, err := s.calendarRole(ctx, s.world.DB, u, doc.ID)
	if err != nil {
		return nil, err
	}
	if role == RoleNone {
		return nil, errNotFound()
	}
	if doc, err = listentry.Check(doc, entryJSON{Selected: true}, rgb); err != nil {
		return nil, err
	}
	now := s.now()
	e := entryRow{userID: u.id, calendar: c.id, doc: doc, updated: now}
	err = s.world.DB.WriteKeyed(ctx, writeKey(u.address), func(ctx context.Context, tx *database.Tx) error {
		return s.listCalendar(ctx, tx, e, now)
	})
	if err != nil {
		return nil, err
	}
	return s.GetCalendarList(ctx, u, c.id)
}

// ChangeCalendarList replaces or merges an entry.
func (s *Service) ChangeCalendarList(ctx context.Context, u user, id string, ch change, rgb bool) (*entryJSON, error) {
	now := s.now()
	err := s.world.DB.WriteKeyed(ctx, writeKey(u.address), func(ctx context.Context, tx *database.Tx) error {
		e, err := entryByID(ctx, tx, u.id, u.calendar(id))
		if err != nil {
			return err
		}
		seen, err := s.readEntry(ctx, tx, u, e)
		if err != nil {
			return err
		}
		if seen.Deleted {
			return errNotFound()
		}
		if !wire.MatchTag(ch.ifMatch, seen.ETag) {
			return errCondition()
		}
		var doc entryJSON
		if err := ch.apply(e.doc, &doc); err != nil {
			return err
		}
		if doc, err = listentry.Check(doc, e.doc, rgb); err != nil || bytes.Equal(encodeDoc(doc), encodeDoc(e.doc)) {
			return err
		}
		e.doc, e.updated = doc, now
		return s.listCalendar(ctx, tx, e, now)
	})
	if err != nil {
		return nil, err
	}
	return s.GetCalendarList(ctx, u, id)
}

// DeleteCalendarList takes a calendar from the list; the calendar stays.
func (s *Service) DeleteCalendarList(ctx context.Context, u user, id string) error {
	if id = u.calendar(id); id == u.address {
		return errForbidden("The primary calendar stays on the list.")
	}
	return s.world.DB.WriteKeyed(ctx, writeKey(u.address), func(ctx context.Context, tx *database.Tx) error {
		e, err := entryByID(ctx, tx, u.id, id)
		if err != nil {
			return err
		}
		if e.deleted {
			return errNotFound()
		}
		return s.unlistCalendar(ctx, tx, u.id, id, s.now())
	})
}

// maxEntries is how many entries one user may have, those included that were
// deleted while a sync token can still ask for them.
const maxEntries = 5_000

// countEntry counts an entry if it is new, and refuses it beyond those that a
// user may have.
func countEntry(ctx context.Context, tx *database.Tx, user int64, calendar string) error {
	_, err := entryByID(ctx, tx, user, calendar)
	if missing, err := isMissing(err); !missing || err != nil {
		return err
	}
	n, err := countEntries(ctx, tx, user, 1)
	if err == nil && n > maxEntries {
		return errQuota("the list of one user has %d calendars at most, "+
			"those included that were taken from it lately.", maxEntries)
	}
	return err
}

// listCalendar writes an entry and announces it.
func (s *Service) listCalendar(ctx context.Context, tx *database.Tx, e entryRow, now time.Time) (err error) {
	// This locks the user's list, so that no entry is counted twice.
	if e.seq, err = nextListSeq(ctx, tx, e.userID); err != nil {
		return err
	}
	if err := countEntry(ctx, tx, e.userID, e.calendar); err != nil {
		return err
	}
	if err := upsertEntry(ctx, tx, e); err != nil {
		return err
	}
	return s.channels.Changed(ctx, tx, listOf(e.userID), now)
}

// unlistCalendar takes an entry from a list, if it is there.
func (s *Service) unlistCalendar(
	ctx context.Context, tx *database.Tx, user int64, calendar string, now time.Time,
) error {
	e, err := entryByID(ctx, tx, user, calendar)
	if missing, err := isMissing(err); missing || err != nil || e.deleted {
		return err
	}
	e.deleted, e.updated = true, now
	return s.listCalendar(ctx, tx, e, now)
}

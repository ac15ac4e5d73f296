package calendar

import (
	"bytes"
	"context"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/calendar/listentry"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/refusal"
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
	var entries []listentry.Row
	var seq int64
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if seq, err = listentry.Changes(ctx, tx, u.id); err != nil {
			return err
		}
		entries, err = listentry.List(ctx, tx, u.id, cur.After, f.deleted || cur.Sync, l.Size+1)
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
		func(e listentry.Row) int64 { return e.Seq })
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
func (s *Service) readEntry(ctx context.Context, q database.Querier, u user, e listentry.Row) (*entryJSON, error) {
	c, err := calendarByID(ctx, q, e.Calendar)
	if missing, err := refusal.IsMissing(err); missing || err != nil {
		return s.entryToWire(e, c, RoleNone), err
	}
	role, _, err := s.rules.RoleOf(ctx, q, u.id, u.address, c.id)
	if err != nil {
		return nil, err
	}
	out := s.entryToWire(e, c, role)
	if !out.Deleted && !c.primary {
		owner, err := s.users.Get(ctx, q, c.ownerID)
		if err != nil {
			return nil, err
		}
		out.DataOwner = owner.address
	}
	return out, nil
}

// GetCalendarList reads one entry.
func (s *Service) GetCalendarList(ctx context.Context, u user, id string) (*entryJSON, error) {
	e, err := listentry.ByID(ctx, s.world.DB, u.id, u.calendar(id))
	if err != nil {
		return nil, err
	}
	out, err := s.readEntry(ctx, s.world.DB, u, e)
	if err == nil && out.Deleted {
		return nil, refusal.NotFound()
	}
	return out, err
}

// InsertCalendarList puts a calendar that the caller may see on the list.
func (s *Service) InsertCalendarList(ctx context.Context, u user, doc entryJSON, rgb bool) (*entryJSON, error) {
	if doc.ID == "" {
		return nil, refusal.Required("id")
	}
	c, role, err := s.calendarRole(ctx, s.world.DB, u, doc.ID)
	if err != nil {
		return nil, err
	}
	if role == RoleNone {
		return nil, refusal.NotFound()
	}
	if doc, err = listentry.Check(doc, entryJSON{Selected: true}, rgb); err != nil {
		return nil, err
	}
	now := s.now()
	e := listentry.Row{UserID: u.id, Calendar: c.id, Doc: doc, Updated: now}
	err = s.world.DB.WriteKeyed(ctx, writeKey(u.address), func(ctx context.Context, tx *database.Tx) error {
		return s.entries.Put(ctx, tx, e, now)
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
		e, err := listentry.ByID(ctx, tx, u.id, u.calendar(id))
		if err != nil {
			return err
		}
		seen, err := s.readEntry(ctx, tx, u, e)
		if err != nil {
			return err
		}
		if seen.Deleted {
			return refusal.NotFound()
		}
		if !wire.MatchTag(ch.ifMatch, seen.ETag) {
			return refusal.Condition()
		}
		var doc entryJSON
		if err := ch.apply(e.Doc, &doc); err != nil {
			return err
		}
		if doc, err = listentry.Check(doc, e.Doc, rgb); err != nil || bytes.Equal(encodeDoc(doc), encodeDoc(e.Doc)) {
			return err
		}
		e.Doc, e.Updated = doc, now
		return s.entries.Put(ctx, tx, e, now)
	})
	if err != nil {
		return nil, err
	}
	return s.GetCalendarList(ctx, u, id)
}

// DeleteCalendarList takes a calendar from the list; the calendar stays.
func (s *Service) DeleteCalendarList(ctx context.Context, u user, id, ifMatch string) error {
	if id = u.calendar(id); id == u.address {
		return errForbidden("The primary calendar stays on the list.")
	}
	return s.world.DB.WriteKeyed(ctx, writeKey(u.address), func(ctx context.Context, tx *database.Tx) error {
		e, err := listentry.ByID(ctx, tx, u.id, id)
		if err != nil {
			return err
		}
		if e.Deleted {
			return refusal.NotFound()
		}
		seen, err := s.readEntry(ctx, tx, u, e)
		if err != nil {
			return err
		}
		if !wire.MatchTag(ifMatch, seen.ETag) {
			return refusal.Condition()
		}
		return s.entries.Remove(ctx, tx, u.id, id, s.now())
	})
}

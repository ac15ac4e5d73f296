package calendar

import (
	"context"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// entryFilter selects entries of a list.
type entryFilter struct {
	deleted, hidden bool
	role            Role
}

// ListCalendarList is a page of the caller's calendars.
func (s *Service) ListCalendarList(ctx context.Context, p person, l listing, f entryFilter) (*calendarListJSON, error) {
	l.bind = "list " + p.address
	cur, err := s.begin(l)
	if err != nil {
		return nil, err
	}
	var entries []entryRow
	var seq int64
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if seq, err = listSeq(ctx, tx, p.id); err != nil {
			return err
		}
		entries, err = entriesAfter(ctx, tx, p.id, cur.After, f.deleted || cur.Sync, l.size+1)
		return err
	})
	if err != nil {
		return nil, err
	}
	if l.pageToken == "" {
		cur.Seq = seq
	}
	out := &calendarListJSON{Kind: "calendar#calendarList", Items: []*entryJSON{}}
	entries, out.NextPageToken, out.NextSyncToken = turn(s, l, cur, entries, func(e entryRow) int64 { return e.seq })
	for _, e := range entries {
		item, err := s.entryAnswer(ctx, s.world.DB, p, e)
		if err != nil {
			return nil, err
		}
		hidden := item.Hidden && !f.hidden && !cur.Sync
		gone := item.Deleted && !f.deleted && !cur.Sync
		if !hidden && !gone && (item.Deleted || item.AccessRole.allows(f.role)) {
			out.Items = append(out.Items, item)
		}
	}
	out.ETag = listTag(seq, out.Items)
	return out, nil
}

// entryAnswer shows an entry with what is true of its calendar now.
func (s *Service) entryAnswer(ctx context.Context, q database.Querier, p person, e entryRow) (*entryJSON, error) {
	c, err := calendarByID(ctx, q, e.calendar)
	if missing, err := none(err); missing || err != nil {
		return s.entryToWire(e, c, RoleNone), err
	}
	role, _, err := s.roleOf(ctx, q, p, c.id)
	return s.entryToWire(e, c, role), err
}

// GetCalendarList reads one entry.
func (s *Service) GetCalendarList(ctx context.Context, p person, id string) (*entryJSON, error) {
	e, err := entryByID(ctx, s.world.DB, p.id, p.calendar(id))
	if err != nil {
		return nil, err
	}
	out, err := s.entryAnswer(ctx, s.world.DB, p, e)
	if err == nil && out.Deleted {
		return nil, errNotFound()
	}
	return out, err
}

// InsertCalendarList puts a calendar that the caller may see on the list.
func (s *Service) InsertCalendarList(ctx context.Context, p person, doc entryJSON, rgb bool) (*entryJSON, error) {
	if doc.ID == "" {
		return nil, errRequired("id")
	}
	c, role, err := s.access(ctx, s.world.DB, p, doc.ID)
	if err != nil {
		return nil, err
	}
	if role == RoleNone {
		return nil, errNotFound()
	}
	if doc, err = checkEntry(doc, entryJSON{Selected: true}, rgb); err != nil {
		return nil, err
	}
	now := s.moment()
	e := entryRow{userID: p.id, calendar: c.id, doc: doc, updated: now}
	err = s.world.DB.WriteKeyed(ctx, writeKey(p.address), func(ctx context.Context, tx *database.Tx) error {
		return s.listCalendar(ctx, tx, e, now)
	})
	if err != nil {
		return nil, err
	}
	return s.GetCalendarList(ctx, p, c.id)
}

// ChangeCalendarList replaces or merges an entry.
func (s *Service) ChangeCalendarList(ctx context.Context, p person, id string, ch change, rgb bool) (*entryJSON, error) {
	now := s.moment()
	err := s.world.DB.WriteKeyed(ctx, writeKey(p.address), func(ctx context.Context, tx *database.Tx) error {
		e, err := entryByID(ctx, tx, p.id, p.calendar(id))
		if err != nil {
			return err
		}
		seen, err := s.entryAnswer(ctx, tx, p, e)
		if err != nil {
			return err
		}
		if seen.Deleted {
			return errNotFound()
		}
		if !matches(ch.ifMatch, seen.ETag) {
			return errCondition()
		}
		var doc entryJSON
		if err := ch.apply(e.doc, &doc); err != nil {
			return err
		}
		if e.doc, err = checkEntry(doc, e.doc, rgb); err != nil {
			return err
		}
		e.updated = now
		return s.listCalendar(ctx, tx, e, now)
	})
	if err != nil {
		return nil, err
	}
	return s.GetCalendarList(ctx, p, id)
}

// DeleteCalendarList takes a calendar from the list; the calendar stays.
func (s *Service) DeleteCalendarList(ctx context.Context, p person, id string) error {
	if id = p.calendar(id); id == p.address {
		return refuse(CodeForbidden, "", "The primary calendar stays on the list.")
	}
	return s.world.DB.WriteKeyed(ctx, writeKey(p.address), func(ctx context.Context, tx *database.Tx) error {
		e, err := entryByID(ctx, tx, p.id, id)
		if err != nil {
			return err
		}
		if e.deleted {
			return errNotFound()
		}
		return s.unlistCalendar(ctx, tx, p.id, id, s.moment())
	})
}

// maxEntries is how many entries one user may have, those included that were
// deleted while a sync token can still ask for them.
const maxEntries = 5_000

// mayListMore counts an entry if it is new, and refuses it beyond those that a
// user may have.
func mayListMore(ctx context.Context, tx *database.Tx, user int64, calendar string) error {
	_, err := entryByID(ctx, tx, user, calendar)
	if missing, err := none(err); !missing || err != nil {
		return err
	}
	now, err := addRows(ctx, tx, user, rowCount{entries: 1})
	if err == nil && now.entries > maxEntries {
		return refuse(CodeQuota, "", "Calendar usage limits exceeded: the list of one user has %d calendars at most, "+
			"those included that were taken from it lately.", maxEntries)
	}
	return err
}

// listCalendar writes an entry and announces it.
func (s *Service) listCalendar(ctx context.Context, tx *database.Tx, e entryRow, now time.Time) (err error) {
	// This holds the user's list, so that no entry is counted twice.
	if e.seq, err = nextListSeq(ctx, tx, e.userID); err != nil {
		return err
	}
	if err := mayListMore(ctx, tx, e.userID, e.calendar); err != nil {
		return err
	}
	if err := putEntry(ctx, tx, e); err != nil {
		return err
	}
	return s.announce(ctx, tx, listOf(e.userID), now)
}

// unlistCalendar takes an entry from a list, if it is there.
func (s *Service) unlistCalendar(ctx context.Context, tx *database.Tx, user int64, calendar string, now time.Time) error {
	e, err := entryByID(ctx, tx, user, calendar)
	if missing, err := none(err); missing || err != nil || e.deleted {
		return err
	}
	e.deleted, e.updated = true, now
	return s.listCalendar(ctx, tx, e, now)
}

// checkEntry holds the rules for what a client may say about an entry.
func checkEntry(doc, old entryJSON, rgb bool) (entryJSON, error) {
	doc = doc.own()
	if doc.DefaultReminders == nil {
		doc.DefaultReminders = []reminderJSON{}
	}
	if err := checkReminders("defaultReminders", doc.DefaultReminders); err != nil {
		return doc, err
	}
	if err := checkTexts(map[string]string{"summaryOverride": doc.SummaryOverride}, ""); err != nil {
		return doc, err
	}
	if doc.NotificationSettings != nil {
		for _, n := range doc.NotificationSettings.Notifications {
			kinds := []string{"eventCreation", "eventChange", "eventCancellation", "eventResponse", "agenda"}
			if n.Method != "email" || !slices.Contains(kinds, n.Type) {
				return doc, errInvalid("notificationSettings", "%s by %s is not a notification", clip(n.Type), clip(n.Method))
			}
		}
	}
	if rgb {
		if !isColor(doc.BackgroundColor) || !isColor(doc.ForegroundColor) {
			return doc, errInvalid("backgroundColor", "colors are written #rrggbb")
		}
		doc.ColorID = ""
		return doc, nil
	}
	doc.BackgroundColor, doc.ForegroundColor = old.BackgroundColor, old.ForegroundColor
	if doc.ColorID == "" && (old.ColorID != "" || old.BackgroundColor == "") {
		doc.ColorID = "14"
	}
	if doc = doc.colored(); doc.BackgroundColor == "" {
		return doc, errInvalid("colorId", "%s is not a color of calendars", clip(doc.ColorID))
	}
	return doc, nil
}

func checkReminders(field string, list []reminderJSON) error {
	if len(list) > 5 {
		return errInvalid(field, "at most 5 reminders are kept")
	}
	for _, r := range list {
		if r.Method != "email" && r.Method != "popup" || r.Minutes < 0 || r.Minutes > 40320 {
			return errInvalid(field, "a reminder is by email or popup, 0 to 40320 minutes before")
		}
	}
	return nil
}

func isColor(text string) bool {
	if len(text) != 7 || text[0] != '#' {
		return false
	}
	for _, c := range text[1:] {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}

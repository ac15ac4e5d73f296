package calendar

import (
	"context"
	"fmt"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/listentry"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// ListEvents is a page of a calendar's events, or of what changed since a sync.
func (s *Service) ListEvents(
	ctx context.Context, u user, calendar string, l listing.Request, f eventFilter, v view,
) (*eventsJSON, error) {
	c, role, err := s.openCalendar(ctx, u, calendar, RoleFreeBusy)
	if err != nil {
		return nil, err
	}
	if !f.updatedMin.IsZero() && f.updatedMin.Before(s.world.Clock.Now().Add(-s.config.SyncLifetime)) {
		return nil, refusal.New(refusal.CodeUpdatedMin, "updatedMin",
			"The requested minimum modification time lies too far in the past.")
	}
	f.role = role
	l.Bind = "events " + c.id + " " + u.address
	if f.single {
		l.Bind += " single"
	}
	cur, err := s.tokens.Open(l)
	if err != nil {
		return nil, err
	}
	var rows []eventRow
	var next *listing.Cursor
	if f.single {
		slot, err := s.expanding.Take(ctx, u.owner(), 1)
		if err != nil {
			return nil, err
		}
		defer slot.Release()
		f.steps = newSteps(ctx)
	}
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		if c, err = calendarByID(ctx, tx, c.id); err != nil {
			return err
		}
		if cur.Sync && (cur.Role != string(role) || cur.Since < c.purgedSeq || f.single && cur.Since < c.rulesSeq) {
			return refusal.FullSync()
		}
		if l.PageToken == "" {
			cur.Seq, cur.Role = c.eventsSeq, string(role)
			if !cur.Sync {
				cur.From, cur.To = f.window.From, f.window.To
			}
		}
		rows, next, err = s.eventReader(tx, c, cur, f).listPage(ctx, l.Size)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.eventsToWire(ctx, u, l, cur, next, rows, v.of(c, role))
}

// eventsToWire is a page with what stands around it.
func (s *Service) eventsToWire(
	ctx context.Context, u user, l listing.Request, cur listing.Cursor, next *listing.Cursor, rows []eventRow, v view,
) (*eventsJSON, error) {
	if err := holdPage(ctx, rows); err != nil {
		return nil, err
	}
	c, base := v.calendar, s.world.URL(ctx)
	out := &eventsJSON{
		Kind: "calendar#events", ETag: s.eventsTag(u, c, v.role), Summary: c.doc.Summary,
		Description: c.doc.Description,
		Updated:     formatTime(c.updated), TimeZone: v.zone.String(), AccessRole: v.role,
		DefaultReminders: []event.Reminder{}, Items: []*event.Event{},
	}
	entry, err := listentry.ByID(ctx, s.world.DB, u.id, c.id)
	if missing, err := refusal.IsMissing(err); err != nil {
		return nil, err
	} else if !missing && entry.Doc.DefaultReminders != nil {
		out.DefaultReminders = entry.Doc.DefaultReminders
	}
	for _, e := range rows {
		out.Items = append(out.Items, eventToWire(e, v, base))
		if e.updated.After(c.updated) {
			c.updated = e.updated
			out.Updated = formatTime(c.updated)
		}
	}
	if next != nil {
		out.NextPageToken = s.tokens.Page(l, *next)
	} else {
		out.NextSyncToken = s.tokens.Sync(l, cur)
	}
	return out, nil
}

// eventsTag names all that a list may depend on, the day of endless series
// included.
func (s *Service) eventsTag(u user, c calendarRow, role Role) string {
	day := s.world.Clock.Now().Unix() / (24 * 60 * 60)
	return fmt.Sprintf(`"p%d.%d.%d.%d.%d"`, c.eventsSeq, c.version, u.listSeq, role.Rank(), day)
}

// ListInstances is a page of a series' instances.
func (s *Service) ListInstances(
	ctx context.Context, u user, calendar, id string, l listing.Request, f eventFilter, v view,
) (*eventsJSON, error) {
	c, role, err := s.openCalendar(ctx, u, calendar, RoleFreeBusy)
	if err != nil {
		return nil, err
	}
	l.Bind = "instances " + c.id + " " + id + " " + u.address
	cur, err := s.tokens.Open(l)
	if err != nil {
		return nil, err
	}
	slot, err := s.expanding.Take(ctx, u.owner(), 1)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	f.steps = newSteps(ctx)
	var rows []eventRow
	var next *listing.Cursor
	err = s.world.DB.Read(ctx, func(ctx context.Context, tx *database.Tx) error {
		rows, next, err = s.eventReader(tx, c, cur, f).instances(ctx, id, l.Size)
		return err
	})
	if err != nil {
		return nil, err
	}
	out, err := s.eventsToWire(ctx, u, l, cur, next, rows, v.of(c, role))
	if err != nil {
		return nil, err
	}
	out.NextSyncToken = "" // Instances of one series cannot be synchronized.
	return out, nil
}

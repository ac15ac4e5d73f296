package calendar

import (
	"bytes"
	"context"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/calendar/acl"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/listentry"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/recurrence"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// InsertCalendar makes a secondary calendar that the caller owns.
func (s *Service) InsertCalendar(ctx context.Context, u user, doc calendarJSON) (*calendarJSON, error) {
	if err := checkCalendar(&doc); err != nil {
		return nil, err
	}
	now := s.now()
	c := calendarRow{
		id:      s.world.IDs.Text(event.IDAlphabet, 26) + "@" + s.world.Dialect.Says(dialect.CalendarIDHost),
		ownerID: u.id, clientID: u.client, doc: doc, version: 1, updated: now,
	}
	err := s.world.DB.WriteKeyed(ctx, writeKey(u.address), func(ctx context.Context, tx *database.Tx) error {
		if err := lockCalendar(ctx, tx, u.address); err != nil {
			return err
		}
		if err := s.checkCalendarQuota(ctx, tx, u.id); err != nil {
			return err
		}
		return s.createCalendar(ctx, tx, u, c, now)
	})
	return s.calendarToWire(c, u.address), err
}

// checkCalendarQuota refuses a user more calendars than one may own. The caller has locked the user's own calendar:
// calendars are made by their owner and given by others, who have no other lock in common.
func (s *Service) checkCalendarQuota(ctx context.Context, tx *database.Tx, user int64) error {
	n, err := countCalendars(ctx, tx, user)
	if err == nil && n >= s.config.CalendarsPerUser {
		return refusal.Quota("one user owns %d calendars at most.", s.config.CalendarsPerUser)
	}
	return err
}

// checkCalendar checks what a client may say about a calendar, and drops what only the service says.
func checkCalendar(doc *calendarJSON) error {
	doc.Kind, doc.ETag, doc.ID, doc.DataOwner, doc.ConferenceProperties = "", "", "", "", nil
	if doc.TimeZone == "" {
		doc.TimeZone = "UTC"
	}
	if _, err := recurrence.Zone(doc.TimeZone); err != nil {
		return errInvalidField("timeZone", "%s is not a known time zone", refusal.Clip(doc.TimeZone))
	}
	if strings.TrimSpace(doc.Summary) == "" {
		return refusal.Required("summary")
	}
	if err := event.CheckLabels(&doc.LabelProperties); err != nil {
		return err
	}
	return event.CheckTexts(map[string]string{"summary": doc.Summary, "location": doc.Location}, doc.Description)
}

// GetCalendar reads a calendar.
func (s *Service) GetCalendar(ctx context.Context, u user, id string) (*calendarJSON, error) {
	c, _, err := s.openCalendar(ctx, u, id, RoleFreeBusy)
	if err != nil {
		return nil, err
	}
	return s.readCalendar(ctx, c)
}

func (s *Service) readCalendar(ctx context.Context, c calendarRow) (*calendarJSON, error) {
	owner, err := userByID(ctx, s.world.DB, c.ownerID)
	if err != nil {
		return nil, err
	}
	return s.calendarToWire(c, owner.address), nil
}

// ChangeCalendar replaces or merges what its owner says about a calendar.
func (s *Service) ChangeCalendar(ctx context.Context, u user, id string, ch change) (*calendarJSON, error) {
	c, _, err := s.openCalendar(ctx, u, id, RoleOwner)
	if err != nil {
		return nil, err
	}
	err = s.changeOwned(ctx, u, c.id, func(ctx context.Context, tx *database.Tx, now calendarRow) error {
		c = now
		if !wire.MatchTag(ch.ifMatch, listing.ETag(c.updated, c.version)) {
			return refusal.Condition()
		}
		doc := calendarJSON{TimeZone: c.doc.TimeZone}
		if err := ch.apply(c.doc, &doc); err != nil {
			return err
		}
		if err := checkCalendar(&doc); err != nil {
			return err
		}
		if bytes.Equal(encodeDoc(doc), encodeDoc(c.doc)) {
			return nil
		}
		moved := doc.TimeZone != c.doc.TimeZone
		c.doc, c.version, c.updated = doc, c.version+1, s.now()
		if err := upsertCalendar(ctx, tx, c); err != nil || !moved {
			return err
		}
		return placeDays(ctx, tx, c)
	})
	if err != nil {
		return nil, err
	}
	return s.readCalendar(ctx, c)
}

// DeleteCalendar deletes a secondary calendar. Its channels are sent not_exists,
// and every list loses it.
func (s *Service) DeleteCalendar(ctx context.Context, u user, id, ifMatch string) error {
	c, _, err := s.openCalendar(ctx, u, id, RoleOwner)
	if err != nil {
		return err
	}
	if c.primary {
		return refusal.New(refusal.CodeNotOfPrimary, "", "A primary calendar cannot be deleted; clear it instead.")
	}
	now := s.now()
	return s.changeOwned(ctx, u, c.id, func(ctx context.Context, tx *database.Tx, c calendarRow) error {
		if !wire.MatchTag(ifMatch, listing.ETag(c.updated, c.version)) {
			return refusal.Condition()
		}
		holders, err := listentry.Holders(ctx, tx, c.id)
		if err != nil {
			return err
		}
		for _, user := range holders {
			if err := s.entries.Remove(ctx, tx, user, c.id, now); err != nil {
				return err
			}
		}
		for _, resource := range []string{eventsOf(c.id), aclOf(c.id)} {
			if err := s.channels.Deleted(ctx, tx, resource, now); err != nil {
				return err
			}
		}
		if err := s.recallCopies(ctx, tx, c); err != nil {
			return err
		}
		return deleteCalendar(ctx, tx, c.id)
	})
}

// ClearCalendar deletes all events of a primary calendar.
func (s *Service) ClearCalendar(ctx context.Context, u user, id string) error {
	c, _, err := s.openCalendar(ctx, u, id, RoleOwner)
	if err != nil {
		return err
	}
	if !c.primary {
		return refusal.New(refusal.CodeOnlyOfPrimary, "",
			"Only a primary calendar can be cleared; delete the calendar instead.")
	}
	now := s.now()
	return s.changeOwned(ctx, u, c.id, func(ctx context.Context, tx *database.Tx, c calendarRow) error {
		seq, err := nextEventsSeq(ctx, tx, c.id)
		if err != nil {
			return err
		}
		if err := deleteEvents(ctx, tx, c.id); err != nil {
			return err
		}
		if err := markPurged(ctx, tx, c.id, seq); err != nil {
			return err
		}
		if err := s.recallCopies(ctx, tx, c); err != nil {
			return err
		}
		return s.channels.Changed(ctx, tx, eventsOf(c.id), now)
	})
}

// TransferCalendar gives a secondary calendar to another user, who must
// have used the service. The old owner keeps an owner's access.
func (s *Service) TransferCalendar(ctx context.Context, u user, id, to string) error {
	c, _, err := s.openCalendar(ctx, u, id, RoleOwner)
	if err != nil {
		return err
	}
	if c.primary || c.ownerID != u.id {
		return errNotDataOwner()
	}
	now := s.now()
	return s.changeOwned(ctx, u, c.id, func(ctx context.Context, tx *database.Tx, c calendarRow) error {
		heir, err := userByAddress(ctx, tx, strings.ToLower(to))
		if missing, err := refusal.IsMissing(err); missing || err != nil {
			if missing {
				return errInvalidField("newDataOwner", "no user has the address %s", refusal.Clip(to))
			}
			return err
		}
		if c.ownerID != u.id {
			return errNotDataOwner()
		}
		if err := lockCalendars(ctx, tx, c.id, heir.address); err != nil {
			return err
		}
		if err := s.checkCalendarQuota(ctx, tx, heir.id); err != nil {
			return err
		}
		c.ownerID, c.version, c.updated = heir.id, c.version+1, now
		if err := upsertCalendar(ctx, tx, c); err != nil {
			return err
		}
		rule := acl.Rule{Scope: ScopeUser, Value: heir.address, Role: RoleOwner, Updated: now}
		return s.rules.Save(ctx, tx, c.id, rule)
	})
}

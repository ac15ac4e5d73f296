package calendar

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/listing"
	"stoa.dev/stoa/internal/service/calendar/quickadd"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// InsertEvent makes an event or a series.
func (s *Service) InsertEvent(
	ctx context.Context, u user, calendar string, doc event.Event, v view,
) (*event.Event, error) {
	c, role, err := s.openCalendar(ctx, u, calendar, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	chosen := doc.ID != ""
	if chosen {
		if err := event.CheckID(doc.ID); err != nil {
			return nil, err
		}
	} else {
		doc.ID = s.newEventID()
	}
	named := doc.ICalUID != ""
	if !named {
		doc.ICalUID = doc.ID + "@" + s.world.Dialect.Says(dialect.EventUIDHost)
	}
	doc.Organizer = nil // Only an import brings an organizer along.
	e, err := s.newEvent(ctx, u, c, doc)
	if err != nil {
		return nil, err
	}
	err = s.changeEvents(ctx, u, &c, &role, func(ctx context.Context, tx *database.Tx) error {
		e.placeDays(c.zone())
		if chosen {
			if err := checkUnused(eventByID(ctx, tx, c.id, e.id)); err != nil {
				return err
			}
		}
		if chosen || named {
			if err := checkUnused(liveEventByUID(ctx, tx, c.id, e.uid)); err != nil {
				return err
			}
		}
		return s.saveInvitation(ctx, tx, c, e, &e)
	})
	if err != nil {
		return nil, err
	}
	return eventToWire(e, v.of(c, role), s.world.URL(ctx)), nil
}

// checkUnused refuses an identifier by which an event was found.
func checkUnused(_ eventRow, err error) error {
	missing, err := refusal.IsMissing(err)
	if err == nil && !missing {
		err = refusal.Duplicate()
	}
	return err
}

func (s *Service) newEventID() string {
	return ids.Stamp(s.world.Clock.Now()) + s.world.IDs.Text(event.IDAlphabet, 14)
}

// newEvent checks a document and makes the row of it.
func (s *Service) newEvent(ctx context.Context, u user, c calendarRow, doc event.Event) (eventRow, error) {
	if err := event.Check(&doc, c.zone()); err != nil {
		return eventRow{}, err
	}
	if err := s.conferences.Answer(&doc, nil); err != nil {
		return eventRow{}, err
	}
	now := s.now()
	doc.Created, doc.RecurringEventID, doc.OriginalStartTime, doc.Sequence = formatTime(now), "", nil, 0
	doc.Creator = &event.Participant{Email: u.address, DisplayName: u.name}
	if doc.Organizer == nil || doc.Organizer.Email == "" {
		doc.Organizer = &event.Participant{Email: c.id}
	}
	e := eventRow{
		calendar: c.id, id: doc.ID, uid: doc.ICalUID, updated: now, doc: doc, cancelled: doc.Status == "cancelled",
	}
	e.doc.ID = ""
	return e, setTimes(ctx, &e, c.zone())
}

// of completes a view with what the operation found out.
func (v view) of(c calendarRow, role Role) view {
	v.calendar, v.role = c, role
	if v.zone == nil {
		v.zone = c.zone()
	}
	return v
}

// writeEvents runs a change of a calendar's events, one at a time.
func (s *Service) writeEvents(
	ctx context.Context, calendar string, fn func(ctx context.Context, tx *database.Tx) error,
) error {
	return s.world.DB.WriteKeyed(ctx, writeKey(calendar), func(ctx context.Context, tx *database.Tx) error {
		if err := lockCalendar(ctx, tx, calendar); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// changeEvents is writeEvents for a caller. It brings the calendar and the role up to date first, and refuses a
// caller who may not write there any more.
func (s *Service) changeEvents(
	ctx context.Context, u user, c *calendarRow, role *Role, fn func(ctx context.Context, tx *database.Tx) error,
) error {
	return s.writeEvents(ctx, c.id, func(ctx context.Context, tx *database.Tx) (err error) {
		if *c, *role, err = s.reopen(ctx, tx, u, *c, *role); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// maxEvents is how many rows a calendar may have: events, instances that differ
// from their series, and what was deleted and is still remembered.
const maxEvents = 50_000

// numberEvent writes a changed row under the next number.
func numberEvent(ctx context.Context, tx *database.Tx, e *eventRow) error {
	seq, count, err := nextEventSeq(ctx, tx, e.calendar, e.id)
	switch {
	case err != nil:
		return err
	case count > maxEvents:
		return refusal.Quota("one calendar has %d events at most.", maxEvents)
	}
	e.seq = seq
	return upsertEvent(ctx, tx, *e)
}

// saveEvent writes a changed row and announces it.
func (s *Service) saveEvent(ctx context.Context, tx *database.Tx, e *eventRow) error {
	if err := numberEvent(ctx, tx, e); err != nil {
		return err
	}
	return s.channels.Changed(ctx, tx, eventsOf(e.calendar), e.updated)
}

// findEvent reads an event, or an instance of a series that is not stored itself.
func findEvent(ctx context.Context, q database.Querier, c calendarRow, id string) (eventRow, error) {
	e, err := eventByID(ctx, q, c.id, id)
	if missing, err := refusal.IsMissing(err); err != nil || !missing {
		return e, err
	}
	series, key, ok := event.SplitInstanceID(id)
	if !ok {
		return e, refusal.NotFound()
	}
	master, err := eventByID(ctx, q, c.id, series)
	if err != nil {
		return e, err
	}
	if !master.recurring || master.cancelled {
		return e, refusal.NotFound()
	}
	if e, err = master.instanceAt(ctx, key, c.zone()); errors.Is(err, errNoInstance) || err == nil && e.id != id {
		return e, refusal.NotFound()
	}
	return e, err
}

// GetEvent reads an event; one that was deleted is shown as cancelled.
func (s *Service) GetEvent(ctx context.Context, u user, calendar, id string, v view) (*event.Event, error) {
	c, role, err := s.openCalendar(ctx, u, calendar, RoleFreeBusy)
	if err != nil {
		return nil, err
	}
	e, err := findEvent(ctx, s.world.DB, c, id)
	if err != nil {
		return nil, err
	}
	return eventToWire(e, v.of(c, role), s.world.URL(ctx)), nil
}

// ChangeEvent replaces or merges an event, a series, or one instance, which is
// from then on stored by itself.
func (s *Service) ChangeEvent(
	ctx context.Context, u user, calendar, id string, ch change, v view,
) (*event.Event, error) {
	c, role, err := s.openCalendar(ctx, u, calendar, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	var e eventRow
	now := s.now()
	err = s.changeEvents(ctx, u, &c, &role, func(ctx context.Context, tx *database.Tx) error {
		old, err := s.changeableEvent(ctx, tx, c, id, role, ch.ifMatch)
		if err != nil {
			return err
		}
		if old.origin != "" {
			return errCopy
		}
		if e, err = s.applyChange(ctx, old, c, ch, now); err != nil {
			return err
		}
		if e.same(old) {
			e = old
			return nil
		}
		if err := checkReturn(ctx, tx, old, e); err != nil {
			return err
		}
		if err := s.saveInvitation(ctx, tx, c, old, &e); err != nil {
			return err
		}
		return s.dropLostInstances(ctx, tx, c, old, e)
	})
	if errors.Is(err, errCopy) {
		e, err = s.changeCopy(ctx, u, c, id, ch.ifMatch, func(old eventRow, c calendarRow) (eventRow, error) {
			return s.applyChange(ctx, old, c, ch, now)
		})
	}
	if err != nil {
		return nil, err
	}
	return eventToWire(e, v.of(c, role), s.world.URL(ctx)), nil
}

// checkReturn refuses to bring a deleted event back beside another that has its iCalUID since.
func checkReturn(ctx context.Context, tx *database.Tx, old, e eventRow) error {
	if !old.cancelled || e.cancelled || old.series != "" {
		return nil
	}
	return checkUnused(liveEventByUID(ctx, tx, old.calendar, old.uid))
}

// changeableEvent finds what is to be changed and checks condition and role.
func (s *Service) changeableEvent(
	ctx context.Context, tx *database.Tx, c calendarRow, id string, role Role, ifMatch string,
) (eventRow, error) {
	old, err := findEvent(ctx, tx, c, id)
	if err != nil {
		return old, err
	}
	if !wire.MatchTag(ifMatch, listing.ETag(old.updated, old.seq)) {
		return old, refusal.Condition()
	}
	return old, old.checkReplace(role)
}

// checkReplace refuses who may write but not see a private event.
func (e eventRow) checkReplace(role Role) error {
	if !visibleTo(e.doc, role) {
		return errAccess(RoleWriter)
	}
	return nil
}

// applyChange applies a change to a row. What only the service says stays.
func (s *Service) applyChange(
	ctx context.Context, old eventRow, c calendarRow, ch change, now time.Time,
) (eventRow, error) {
	before := old.doc
	if old.cancelled {
		before.Status = "cancelled"
	}
	var doc event.Event
	if err := ch.apply(before, &doc); err != nil {
		return old, err
	}
	doc.KeepOmitted(before.Attendees)
	if !ch.merges && doc.EventType == "" {
		doc.EventType = before.EventType
	}
	if err := event.Check(&doc, c.zone()); err != nil {
		return old, err
	}
	if doc.EventType != before.EventType && before.EventType != "" {
		return old, errInvalidField("eventType", "The type of an event cannot be changed.")
	}
	if old.series != "" && len(doc.Recurrence) > 0 {
		return old, errInvalidField("recurrence", "An instance has no recurrence of its own.")
	}
	if err := s.conferences.Answer(&doc, before.ConferenceData); err != nil {
		return old, err
	}
	doc.ID, doc.Created, doc.Creator, doc.Organizer = "", before.Created, before.Creator, before.Organizer
	doc.RecurringEventID, doc.OriginalStartTime = before.RecurringEventID, before.OriginalStartTime
	doc.Sequence, doc.ICalUID = before.Sequence, ""
	e := old
	e.doc, e.cancelled = doc, doc.Status == "cancelled"
	if event.Rescheduled(old.doc, doc) {
		e.doc.Sequence++
	}
	if !event.OnlyReminders(old.doc, e.doc) {
		e.updated = now
	}
	return e, setTimes(ctx, &e, c.zone())
}

// same reports whether a row says what another says. Nothing is announced of a change to the same.
func (e eventRow) same(old eventRow) bool {
	return e.cancelled == old.cancelled && event.Same(e.doc, old.doc)
}

// dropLostInstances forgets stored instances that a series no longer has. Clients
// that synchronize single instances, or knew the forgotten ones, have to start over.
func (s *Service) dropLostInstances(ctx context.Context, tx *database.Tx, c calendarRow, old, e eventRow) error {
	if !old.recurring && !e.recurring || old.cancelled == e.cancelled && !event.Rescheduled(old.doc, e.doc) {
		return nil
	}
	if err := markReshaped(ctx, tx, c.id); err != nil {
		return err
	}
	instances, err := storedInstances(ctx, tx, c.id, e.id)
	if err != nil {
		return err
	}
	left, err := e.remainingInstances(ctx, instances)
	if err != nil {
		return err
	}
	for _, id := range instances {
		if left[id] {
			continue
		}
		if err := deleteEvent(ctx, tx, c.id, id); err != nil {
			return err
		}
		if e.cancelled {
			continue // A client that is told of the end of the series drops its instances too.
		}
		if err := markPurged(ctx, tx, c.id, e.seq); err != nil {
			return err
		}
	}
	return nil
}

// DeleteEvent cancels an event, a series, or one instance of it.
func (s *Service) DeleteEvent(ctx context.Context, u user, calendar, id, ifMatch string) error {
	c, role, err := s.openCalendar(ctx, u, calendar, RoleWriterNoSecret)
	if err != nil {
		return err
	}
	now := s.now()
	err = s.changeEvents(ctx, u, &c, &role, func(ctx context.Context, tx *database.Tx) error {
		old, err := s.changeableEvent(ctx, tx, c, id, role, ifMatch)
		switch {
		case err != nil:
			return err
		case old.cancelled:
			return refusal.Deleted()
		case old.origin != "":
			return errCopy
		}
		return s.cancel(ctx, tx, c, old, now)
	})
	if errors.Is(err, errCopy) {
		_, err = s.changeCopy(ctx, u, c, id, ifMatch, s.decline)
	}
	return err
}

func (s *Service) cancel(ctx context.Context, tx *database.Tx, c calendarRow, old eventRow, now time.Time) error {
	e := old
	e.cancelled, e.doc.Status, e.updated = true, "cancelled", now
	if err := s.saveInvitation(ctx, tx, c, old, &e); err != nil {
		return err
	}
	return s.dropLostInstances(ctx, tx, c, old, e)
}

// QuickAddEvent makes an event of a sentence.
func (s *Service) QuickAddEvent(ctx context.Context, u user, calendar, text string) (*event.Event, error) {
	c, _, err := s.openCalendar(ctx, u, calendar, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	if len(text) > 1024 {
		return nil, errInvalidField("text", "the text is longer than 1024 bytes")
	}
	doc := quickadd.Parse(text, s.world.Clock.Now(), c.zone())
	out, err := s.InsertEvent(ctx, u, c.id, doc, view{})
	var refused *Error
	if errors.As(err, &refused) && refused.Code == refusal.CodeTimeRange {
		return nil, errInvalidField("text", "the text names an end before its start")
	}
	return out, err
}

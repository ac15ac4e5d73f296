package calendar

import (
	"bytes"
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/ids"
)

// InsertEvent makes an event or a series.
func (s *Service) InsertEvent(ctx context.Context, p person, calendar string, doc eventJSON, look view) (*eventJSON, error) {
	c, role, err := s.open(ctx, p, calendar, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	chosen := doc.ID != ""
	if chosen {
		if err := checkEventID(doc.ID); err != nil {
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
	e, err := s.newEvent(ctx, p, c, doc)
	if err != nil {
		return nil, err
	}
	err = s.changing(ctx, c.id, func(ctx context.Context, tx *database.Tx) error {
		if chosen {
			if err := unused(eventByID(ctx, tx, c.id, e.id)); err != nil {
				return err
			}
		}
		if named {
			if err := unused(livingByUID(ctx, tx, c.id, e.uid)); err != nil {
				return err
			}
		}
		return s.keep(ctx, tx, &e)
	})
	if err != nil {
		return nil, err
	}
	return s.eventToWire(e, look.of(c, role)), nil
}

// unused refuses an identifier by which an event was found.
func unused(_ eventRow, err error) error {
	missing, err := none(err)
	if err == nil && !missing {
		err = refuse(CodeDuplicate, "", "The requested identifier already exists.")
	}
	return err
}

func (s *Service) newEventID() string {
	return ids.Stamp(s.world.Clock.Now()) + s.world.IDs.Text(idAlphabet, 14)
}

// newEvent checks a document and makes the row of it.
func (s *Service) newEvent(ctx context.Context, p person, c calendarRow, doc eventJSON) (eventRow, error) {
	if err := checkEvent(&doc, c); err != nil {
		return eventRow{}, err
	}
	now := s.moment()
	doc.Created, doc.RecurringEventID, doc.OriginalStartTime, doc.Sequence = stamp(now), "", nil, 0
	doc.Creator = &personJSON{Email: p.address, DisplayName: p.name}
	if doc.Organizer == nil || doc.Organizer.Email == "" {
		doc.Organizer = &personJSON{Email: c.id}
	}
	e := eventRow{calendar: c.id, id: doc.ID, uid: doc.ICalUID, updated: now, doc: doc, cancelled: doc.Status == "cancelled"}
	e.doc.ID = ""
	return e, timesOf(ctx, &e, c.zone())
}

// of completes a view with what the operation found out.
func (v view) of(c calendarRow, role Role) view {
	v.calendar, v.role = c, role
	if v.zone == nil {
		v.zone = c.zone()
	}
	return v
}

// changing runs a change of a calendar's events, one at a time.
func (s *Service) changing(ctx context.Context, calendar string, fn func(ctx context.Context, tx *database.Tx) error) error {
	return s.world.DB.WriteKeyed(ctx, writeKey(calendar), func(ctx context.Context, tx *database.Tx) error {
		if err := holdCalendar(ctx, tx, calendar); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// maxEvents is how many rows a calendar may have: events, instances that differ
// from their series, and what was deleted and is still remembered.
const maxEvents = 50_000

// number writes a changed row under the next number.
func number(ctx context.Context, tx *database.Tx, e *eventRow) error {
	seq, count, err := nextEvent(ctx, tx, e.calendar, e.id)
	switch {
	case err != nil:
		return err
	case count > maxEvents:
		return refuse(CodeQuota, "", "Calendar usage limits exceeded: one calendar has %d events at most.", maxEvents)
	}
	e.seq = seq
	return putEvent(ctx, tx, *e)
}

// keep writes a changed row and announces it.
func (s *Service) keep(ctx context.Context, tx *database.Tx, e *eventRow) error {
	if err := number(ctx, tx, e); err != nil {
		return err
	}
	return s.announce(ctx, tx, eventsOf(e.calendar), e.updated)
}

// find reads an event, or an instance of a series that is not stored itself.
func find(ctx context.Context, q database.Querier, c calendarRow, id string) (eventRow, error) {
	e, err := eventByID(ctx, q, c.id, id)
	if missing, err := none(err); err != nil || !missing {
		return e, err
	}
	series, key, ok := splitInstance(id)
	if !ok {
		return e, errNotFound()
	}
	master, err := eventByID(ctx, q, c.id, series)
	if err != nil {
		return e, err
	}
	if !master.recurring || master.cancelled {
		return e, errNotFound()
	}
	if e, err = master.instanceAt(ctx, key, c.zone()); errors.Is(err, errNoInstance) || err == nil && e.id != id {
		return e, errNotFound()
	}
	return e, err
}

// GetEvent reads an event; one that was deleted is shown as cancelled.
func (s *Service) GetEvent(ctx context.Context, p person, calendar, id string, look view) (*eventJSON, error) {
	c, role, err := s.open(ctx, p, calendar, RoleFreeBusy)
	if err != nil {
		return nil, err
	}
	e, err := find(ctx, s.world.DB, c, id)
	if err != nil {
		return nil, err
	}
	return s.eventToWire(e, look.of(c, role)), nil
}

// ChangeEvent replaces or merges an event, a series, or one instance, which is
// from then on stored by itself.
func (s *Service) ChangeEvent(ctx context.Context, p person, calendar, id string, ch change, look view) (*eventJSON, error) {
	c, role, err := s.open(ctx, p, calendar, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	var e eventRow
	now := s.moment()
	err = s.changing(ctx, c.id, func(ctx context.Context, tx *database.Tx) error {
		old, err := s.mayChange(ctx, tx, c, id, role, ch.ifMatch)
		if err != nil {
			return err
		}
		if e, err = changed(ctx, old, c, ch, now); err != nil {
			return err
		}
		if err := s.keep(ctx, tx, &e); err != nil {
			return err
		}
		return s.reshape(ctx, tx, c, old, e)
	})
	if err != nil {
		return nil, err
	}
	return s.eventToWire(e, look.of(c, role)), nil
}

// mayChange finds what is to be changed and checks condition and role.
func (s *Service) mayChange(ctx context.Context, tx *database.Tx, c calendarRow, id string, role Role, ifMatch string) (eventRow, error) {
	old, err := find(ctx, tx, c, id)
	if err != nil {
		return old, err
	}
	if !matches(ifMatch, etag(old.updated, old.seq)) {
		return old, errCondition()
	}
	return old, old.mayReplace(role)
}

// mayReplace refuses who may write but not see a private event.
func (e eventRow) mayReplace(role Role) error {
	if !e.doc.openTo(role) {
		return errAccess(RoleWriter)
	}
	return nil
}

// changed applies a change to a row. What only the service says stays.
func changed(ctx context.Context, old eventRow, c calendarRow, ch change, now time.Time) (eventRow, error) {
	before := old.doc
	if old.cancelled {
		before.Status = "cancelled"
	}
	var doc eventJSON
	if err := ch.apply(before, &doc); err != nil {
		return old, err
	}
	if !ch.merges && doc.EventType == "" {
		doc.EventType = before.EventType
	}
	if err := checkEvent(&doc, c); err != nil {
		return old, err
	}
	if doc.EventType != before.EventType && before.EventType != "" {
		return old, errInvalid("eventType", "The type of an event cannot be changed.")
	}
	if old.series != "" && len(doc.Recurrence) > 0 {
		return old, errInvalid("recurrence", "An instance has no recurrence of its own.")
	}
	doc.ID, doc.Created, doc.Creator, doc.Organizer = "", before.Created, before.Creator, before.Organizer
	doc.RecurringEventID, doc.OriginalStartTime, doc.Sequence, doc.ICalUID = before.RecurringEventID, before.OriginalStartTime, before.Sequence, ""
	e := old
	e.doc, e.cancelled = doc, doc.Status == "cancelled"
	if moved(old.doc, doc) {
		e.doc.Sequence++
	}
	if !onlyReminders(old.doc, e.doc) {
		e.updated = now
	}
	return e, timesOf(ctx, &e, c.zone())
}

// moved reports whether a change is one that guests have to answer again.
func moved(a, b eventJSON) bool {
	return *a.Start != *b.Start || *a.End != *b.End || !bytes.Equal(stored(a.Recurrence), stored(b.Recurrence))
}

// onlyReminders reports whether a change is of no interest to anybody else: it
// does not count as an update.
func onlyReminders(a, b eventJSON) bool {
	same := bytes.Equal(stored(a.Reminders), stored(b.Reminders))
	a.Reminders, b.Reminders, a.ICalUID, b.ICalUID = nil, nil, "", ""
	return !same && bytes.Equal(stored(a), stored(b))
}

// reshape forgets stored instances that a series no longer has. Whoever
// synchronizes single instances, or knew the forgotten ones, has to start over.
func (s *Service) reshape(ctx context.Context, tx *database.Tx, c calendarRow, old, e eventRow) error {
	if !old.recurring && !e.recurring || old.cancelled == e.cancelled && !moved(old.doc, e.doc) {
		return nil
	}
	if err := markReshaped(ctx, tx, c.id); err != nil {
		return err
	}
	instances, err := differing(ctx, tx, c.id, e.id, span{})
	if err != nil {
		return err
	}
	left, err := e.among(ctx, instances)
	if err != nil {
		return err
	}
	for _, one := range instances {
		if left[one.id] {
			continue
		}
		if err := deleteEvent(ctx, tx, c.id, one.id); err != nil {
			return err
		}
		if e.cancelled {
			continue // Whoever hears that the series is gone drops its instances too.
		}
		if err := markPurged(ctx, tx, c.id, e.seq); err != nil {
			return err
		}
	}
	return nil
}

// DeleteEvent cancels an event, a series, or one instance of it.
func (s *Service) DeleteEvent(ctx context.Context, p person, calendar, id, ifMatch string) error {
	c, role, err := s.open(ctx, p, calendar, RoleWriterNoSecret)
	if err != nil {
		return err
	}
	now := s.moment()
	return s.changing(ctx, c.id, func(ctx context.Context, tx *database.Tx) error {
		old, err := s.mayChange(ctx, tx, c, id, role, ifMatch)
		if err != nil {
			return err
		}
		if old.cancelled {
			return errDeleted()
		}
		return s.cancel(ctx, tx, c, old, now)
	})
}

func (s *Service) cancel(ctx context.Context, tx *database.Tx, c calendarRow, old eventRow, now time.Time) error {
	e := old
	e.cancelled, e.doc.Status, e.updated = true, "cancelled", now
	if err := s.keep(ctx, tx, &e); err != nil {
		return err
	}
	return s.reshape(ctx, tx, c, old, e)
}

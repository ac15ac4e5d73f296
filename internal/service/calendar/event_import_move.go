package calendar

import (
	"context"
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/rowmemory"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// MoveEvent gives an event or a series to another calendar. The old calendar
// keeps a note that it is gone.
func (s *Service) MoveEvent(ctx context.Context, u user, calendar, id, destination string) (*event.Event, error) {
	from, _, err := s.openCalendar(ctx, u, calendar, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	to, toRole, err := s.openCalendar(ctx, u, destination, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	if from.id == to.id {
		return nil, errInvalidField("destination", "the event is on that calendar already")
	}
	now := s.now()
	var e eventRow
	// Both calendars change, so no lock on one of them is enough.
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := lockCalendars(ctx, tx, from.id, to.id); err != nil {
			return err
		}
		from, role, err := s.openCalendarIn(ctx, tx, u, from.id, RoleWriterNoSecret)
		if err != nil {
			return err
		}
		if to, toRole, err = s.openCalendarIn(ctx, tx, u, to.id, RoleWriterNoSecret); err != nil {
			return err
		}
		old, err := s.changeableEvent(ctx, tx, from, id, role, "")
		switch {
		case err != nil:
			return err
		case old.cancelled:
			return refusal.Deleted()
		case old.origin != "":
			return errNotOrganizer()
		case old.series != "":
			return errInvalidField("eventId", "an instance moves with its series only")
		case old.doc.EventType != "default" && old.doc.EventType != "":
			return errInvalidField("eventId", "only events of type default can be moved")
		}
		e, err = s.moveTo(ctx, tx, to, old, now)
		if err != nil {
			return err
		}
		return s.cancel(ctx, tx, from, old, now)
	})
	if err != nil {
		return nil, err
	}
	return eventToWire(e, view{}.of(to, toRole), s.world.URL(ctx)), nil
}

// moveTo writes a copy of an event with its differing instances, which is one
// change of the calendar.
func (s *Service) moveTo(
	ctx context.Context, tx *database.Tx, to calendarRow, old eventRow, now time.Time,
) (eventRow, error) {
	there, err := eventByID(ctx, tx, to.id, old.id)
	if missing, err := refusal.IsMissing(err); err != nil {
		return there, err
	} else if !missing && !there.cancelled {
		return there, refusal.Duplicate()
	}
	if err := checkUnused(liveEventByUID(ctx, tx, to.id, old.uid)); err != nil {
		return there, err
	}
	instances, err := storedInstances(ctx, tx, old.calendar, old.id)
	if err != nil {
		return there, err
	}
	e := old
	for _, id := range append([]string{old.id}, instances...) {
		// Each is dropped before the next one is read.
		one, err := eventByID(rowmemory.Elsewhere(ctx), tx, old.calendar, id)
		if err != nil {
			return e, err
		}
		one.calendar, one.updated = to.id, now
		one.doc.Organizer = &event.Participant{Email: to.id}
		one.placeDays(to.zone())
		if err := numberEvent(ctx, tx, &one); err != nil {
			return e, err
		}
		if one.id == old.id {
			e = one
		}
	}
	if err := s.inviteGuests(ctx, tx, to, e); err != nil {
		return e, err
	}
	return e, s.channels.Changed(ctx, tx, eventsOf(to.id), now)
}

// ImportEvent adds a private copy of an event that exists elsewhere. An event
// with the same iCalUID is replaced, so that an import can be repeated.
func (s *Service) ImportEvent(ctx context.Context, u user, calendar string, doc event.Event) (*event.Event, error) {
	c, role, err := s.openCalendar(ctx, u, calendar, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	switch {
	case doc.ICalUID == "":
		return nil, refusal.Required("iCalUID")
	case doc.EventType != "" && doc.EventType != "default":
		return nil, errInvalidField("eventType", "only events of type default can be imported")
	case doc.Sequence < 0 || doc.Sequence > math.MaxInt32:
		return nil, errInvalidField("sequence", "%d is not the number of a revision", doc.Sequence)
	}
	sequence := doc.Sequence
	doc.ID = s.newEventID()
	e, err := s.newEvent(ctx, u, c, doc)
	if err != nil {
		return nil, err
	}
	e.doc.Sequence = sequence
	err = s.changeEvents(ctx, u, &c, &role, func(ctx context.Context, tx *database.Tx) error {
		e.placeDays(c.zone())
		old, err := eventByUID(ctx, tx, c.id, e.uid)
		missing, err := refusal.IsMissing(err)
		if err != nil {
			return err
		}
		if missing {
			return s.saveEvent(ctx, tx, &e)
		}
		if err := old.checkReplace(role); err != nil {
			return err
		}
		if old.origin != "" {
			return errNotOrganizer() // The organizer's event is here already.
		}
		e.id, e.doc.Created, e.doc.Creator = old.id, old.doc.Created, old.doc.Creator
		if old.organizedHere() {
			e.doc.Organizer = old.doc.Organizer // Guests have copies of it.
		}
		if e.same(old) {
			e = old
			return nil
		}
		if err := s.saveEvent(ctx, tx, &e); err != nil {
			return err
		}
		return s.dropLostInstances(ctx, tx, c, old, e)
	})
	if err != nil {
		return nil, err
	}
	return eventToWire(e, view{}.of(c, role), s.world.URL(ctx)), nil
}

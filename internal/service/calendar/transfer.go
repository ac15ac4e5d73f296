package calendar

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// ImportEvent adds a private copy of an event that exists elsewhere. An event
// with the same iCalUID is replaced, so that an import can be repeated.
func (s *Service) ImportEvent(ctx context.Context, p person, calendar string, doc eventJSON) (*eventJSON, error) {
	c, role, err := s.open(ctx, p, calendar, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	switch {
	case doc.ICalUID == "":
		return nil, errRequired("iCalUID")
	case doc.EventType != "" && doc.EventType != "default":
		return nil, errInvalid("eventType", "only events of type default can be imported")
	}
	sequence := doc.Sequence
	doc.ID = s.newEventID()
	e, err := s.newEvent(ctx, p, c, doc)
	if err != nil {
		return nil, err
	}
	e.doc.Sequence = max(sequence, 0)
	err = s.changing(ctx, c.id, func(ctx context.Context, tx *database.Tx) error {
		old, err := eventByUID(ctx, tx, c.id, e.uid)
		missing, err := none(err)
		if err != nil {
			return err
		}
		if missing {
			return s.keep(ctx, tx, &e)
		}
		if err := old.mayReplace(role); err != nil {
			return err
		}
		e.id, e.doc.Created, e.doc.Creator = old.id, old.doc.Created, old.doc.Creator
		if err := s.keep(ctx, tx, &e); err != nil {
			return err
		}
		return s.reshape(ctx, tx, c, old, e)
	})
	if err != nil {
		return nil, err
	}
	return s.eventToWire(e, view{}.of(c, role)), nil
}

// MoveEvent gives an event or a series to another calendar. The old calendar
// keeps a note that it is gone.
func (s *Service) MoveEvent(ctx context.Context, p person, calendar, id, destination string) (*eventJSON, error) {
	from, role, err := s.open(ctx, p, calendar, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	to, toRole, err := s.open(ctx, p, destination, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	if from.id == to.id {
		return nil, errInvalid("destination", "the event is on that calendar already")
	}
	now := s.moment()
	var e eventRow
	// Both calendars change, so no lock on one of them is enough.
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for _, id := range []string{min(from.id, to.id), max(from.id, to.id)} {
			if err := holdCalendar(ctx, tx, id); err != nil {
				return err
			}
		}
		old, err := s.mayChange(ctx, tx, from, id, role, "")
		switch {
		case err != nil:
			return err
		case old.cancelled:
			return errDeleted()
		case old.series != "":
			return errInvalid("eventId", "an instance moves with its series only")
		case old.doc.EventType != "default" && old.doc.EventType != "":
			return errInvalid("eventId", "only events of type default can be moved")
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
	return s.eventToWire(e, view{}.of(to, toRole)), nil
}

// moveTo writes a copy of an event with its differing instances, which is one
// change of the calendar.
func (s *Service) moveTo(ctx context.Context, tx *database.Tx, to calendarRow, old eventRow, now time.Time) (eventRow, error) {
	there, err := eventByID(ctx, tx, to.id, old.id)
	if missing, err := none(err); err != nil {
		return there, err
	} else if !missing && !there.cancelled {
		return there, refuse(CodeDuplicate, "", "The requested identifier already exists.")
	}
	instances, err := differing(ctx, tx, old.calendar, old.id, span{})
	if err != nil {
		return there, err
	}
	e := old
	for _, one := range append([]eventRow{old}, instances...) {
		one.calendar, one.updated = to.id, now
		one.doc.Organizer = &personJSON{Email: to.id}
		if err := number(ctx, tx, &one); err != nil {
			return e, err
		}
		if one.id == old.id {
			e = one
		}
	}
	return e, s.announce(ctx, tx, eventsOf(to.id), now)
}

// QuickAddEvent makes an event of a sentence.
func (s *Service) QuickAddEvent(ctx context.Context, p person, calendar, text string) (*eventJSON, error) {
	c, _, err := s.open(ctx, p, calendar, RoleWriterNoSecret)
	if err != nil {
		return nil, err
	}
	if len(text) > 1024 {
		return nil, errInvalid("text", "the text is longer than 1024 bytes")
	}
	doc := quickAdd(text, s.world.Clock.Now(), c.zone())
	out, err := s.InsertEvent(ctx, p, c.id, doc, view{})
	var refused *Error
	if errors.As(err, &refused) && refused.Code == CodeTimeRange {
		return nil, errInvalid("text", "the text names an end before its start")
	}
	return out, err
}

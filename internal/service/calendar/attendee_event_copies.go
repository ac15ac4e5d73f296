package calendar

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/service/calendar/event"
	"stoa.dev/stoa/internal/service/calendar/invitation"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// copyKind is the job that brings the copies of an event on its guests' calendars up to
// date with it: one transaction for each guest, so that no change locks 200 calendars.
const copyKind = Name + ".copy"

// copyPayload names an event, or all events of a calendar when the id is empty.
type copyPayload struct {
	Calendar string `json:"calendar"`
	ID       string `json:"id,omitempty"`
}

// maxInvited is how many events a calendar has when it takes no further invitation: what
// others send leaves space for the owner's own.
const maxInvited = maxEvents / 2

// errCopy ends a transaction that found a guest's copy: its change is one of two calendars.
var errCopy = errors.New("calendar: the event is a copy")

// saveInvitation writes a changed row, announces it and brings its guests' copies up to date.
func (s *Service) saveInvitation(ctx context.Context, tx *database.Tx, c calendarRow, old eventRow, e *eventRow) error {
	if err := s.saveEvent(ctx, tx, e); err != nil {
		return err
	}
	if len(invitation.Guests(old.doc, c.id)) > 0 {
		return s.inviteGuests(ctx, tx, c, old)
	}
	return s.inviteGuests(ctx, tx, c, *e)
}

// organizedHere reports whether an event's guests are this calendar's to invite: neither a copy nor an import is, whose
// organizer is another one.
func (e eventRow) organizedHere() bool {
	return e.origin == "" && e.doc.Organizer != nil && e.doc.Organizer.Email == e.calendar
}

// inviteGuests brings the copies of an event up to date, if it has guests.
func (s *Service) inviteGuests(ctx context.Context, tx *database.Tx, c calendarRow, e eventRow) error {
	if !e.organizedHere() || len(invitation.Guests(e.doc, c.id)) == 0 {
		return nil
	}
	return s.enqueueCopies(ctx, tx, c, e.id)
}

// recallCopies cancels the copies of all events of a calendar.
func (s *Service) recallCopies(ctx context.Context, tx *database.Tx, c calendarRow) error {
	if ids, err := listCopied(ctx, tx, c.id, "", 1); err != nil || len(ids) == 0 {
		return err
	}
	return s.enqueueCopies(ctx, tx, c, "")
}

func (s *Service) enqueueCopies(ctx context.Context, tx *database.Tx, c calendarRow, id string) error {
	_, err := s.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{
		Kind: copyKind, Payload: copyPayload{Calendar: c.id, ID: id}, Dedupe: c.id + " " + id,
		Owner: strconv.FormatInt(c.ownerID, 10),
	})
	return err
}

// copyEvents is the job. It may run again at any point.
func (s *Service) copyEvents(ctx context.Context, p copyPayload) error {
	if p.ID != "" {
		return s.copyEvent(ctx, p.Calendar, p.ID)
	}
	for after := ""; ; {
		ids, err := listCopied(ctx, s.world.DB, p.Calendar, after, batch)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := s.copyEvent(ctx, p.Calendar, id); err != nil {
				return err
			}
			after = id
		}
		if len(ids) < batch {
			return nil
		}
	}
}

// copyEvent brings all copies of one event up to date.
func (s *Service) copyEvent(ctx context.Context, calendar, id string) error {
	original, err := eventByID(ctx, s.world.DB, calendar, id)
	if _, err := refusal.IsMissing(err); err != nil {
		return err
	}
	guests := invitation.Guests(original.doc, calendar)
	holders, err := listCopies(ctx, s.world.DB, calendar, id, original.series)
	if err != nil {
		return err
	}
	for _, address := range holders {
		if !slices.Contains(guests, address) {
			guests = append(guests, address)
		}
	}
	for _, address := range guests {
		u, found, err := s.userOfAddress(ctx, address)
		if err != nil {
			return err
		}
		if !found {
			continue // No account here has that address.
		}
		if err := s.copyFor(ctx, calendar, id, u.address); err != nil {
			return err
		}
	}
	return nil
}

// copyFor brings one guest's copy up to date, and those of differing instances when the guest has none of them.
func (s *Service) copyFor(ctx context.Context, calendar, id, guest string) error {
	var hasNone bool
	err := s.writeEvents(ctx, guest, func(ctx context.Context, tx *database.Tx) (err error) {
		hasNone, err = s.writeCopy(ctx, tx, calendar, id, guest)
		return err
	})
	if err != nil || !hasNone {
		return err
	}
	instances, err := storedInstances(ctx, s.world.DB, calendar, id)
	if err != nil {
		return err
	}
	for _, instance := range instances {
		if err := s.copyFor(ctx, calendar, instance, guest); err != nil {
			return err
		}
	}
	return nil
}

// writeCopy makes a guest's copy what the original is now, and reports whether it has none of the differing instances
// of the original: there was no copy, or it was cancelled or taken over from another calendar.
func (s *Service) writeCopy(
	ctx context.Context, tx *database.Tx, calendar, id, guest string,
) (hasNone bool, err error) {
	original, err := eventByID(ctx, tx, calendar, id)
	gone, err := refusal.IsMissing(err)
	if err != nil {
		return false, err
	}
	c, err := calendarByID(ctx, tx, guest)
	if err != nil {
		return false, err
	}
	old, err := eventByID(ctx, tx, guest, id)
	missing, err := refusal.IsMissing(err)
	if err != nil {
		return false, err
	}
	answer := invitation.Answer(original.doc, guest)
	invited := !gone && !original.cancelled && answer != nil
	switch {
	case !invited && missing && original.series != "":
		return false, s.leaveInstance(ctx, tx, c, original)
	case !invited && (missing || old.origin != calendar || old.cancelled):
		return false, nil
	case !invited:
		return false, s.cancel(ctx, tx, c, old, s.now())
	case missing:
		if full, err := isFull(ctx, tx, guest); full || err != nil {
			return false, err
		}
	case old.origin == "", old.cancelled && answer.ResponseStatus == "declined":
		return false, nil // The guest's own event has that id, or the guest deleted the copy.
	case old.origin != calendar:
		if moved, err := isGone(ctx, tx, old); !moved || err != nil {
			return false, err
		}
	}
	if missing || !old.recurring {
		if crowded, err := s.isCrowded(ctx, tx, guest, calendar, original); crowded || err != nil {
			return false, err
		}
	}
	e := original
	e.calendar, e.origin = guest, calendar
	e.doc = invitation.Copy(original.doc, guest, before(old, missing))
	if !missing && e.same(old) && e.origin == old.origin {
		return false, nil
	}
	e.updated = s.now()
	if err := setTimes(ctx, &e, c.zone()); err != nil {
		return false, err
	}
	if err := s.saveEvent(ctx, tx, &e); err != nil {
		return false, err
	}
	if missing {
		return true, nil
	}
	return old.cancelled || old.origin != calendar, s.dropLostInstances(ctx, tx, c, old, e)
}

// leaveInstance takes an instance off a guest's copy of the series: it was deleted, or the guest is not invited to it.
func (s *Service) leaveInstance(ctx context.Context, tx *database.Tx, c calendarRow, original eventRow) error {
	series, err := eventByID(ctx, tx, c.id, original.series)
	missing, err := refusal.IsMissing(err)
	if err != nil || missing || series.cancelled || series.origin != original.calendar {
		return err
	}
	old, err := findEvent(ctx, tx, c, original.id)
	if missing, err := refusal.IsMissing(err); err != nil || missing {
		return err // The copy is not up to date; its own job follows.
	}
	return s.cancel(ctx, tx, c, old, s.now())
}

// before is the guest's document as it was, nil if there is none.
func before(old eventRow, missing bool) *event.Event {
	if missing {
		return nil
	}
	return &old.doc
}

// isGone reports whether the original of a copy is not there any more: it moved.
func isGone(ctx context.Context, q database.Querier, e eventRow) (bool, error) {
	original, err := eventByID(ctx, q, e.origin, e.id)
	missing, err := refusal.IsMissing(err)
	return missing || original.cancelled, err
}

// userOfAddress finds who has an address here, also a user who has not used the service yet.
func (s *Service) userOfAddress(ctx context.Context, address string) (u user, found bool, err error) {
	u, err = userByAddress(ctx, s.world.DB, address)
	if missing, err := refusal.IsMissing(err); err != nil || !missing {
		return u, err == nil, err
	}
	account, err := s.identity.UserByEmail(ctx, address)
	if name, domain, _ := strings.Cut(address, "@"); errors.Is(err, identity.ErrNotFound) && domain == defaultDomain {
		account, err = s.identity.UserByName(ctx, name)
	}
	if errors.Is(err, identity.ErrNotFound) || err == nil && account.Disabled {
		return u, false, nil
	}
	if err != nil {
		return u, false, err
	}
	u, err = s.ensureUser(ctx, account.ID)
	return u, err == nil && u.address == address, err
}

// decline is what deleting a copy means.
func (s *Service) decline(e eventRow, c calendarRow) (eventRow, error) {
	e.cancelled, e.doc.Status, e.updated = true, "cancelled", s.now()
	if a := invitation.Answer(e.doc, c.id); a != nil {
		answer := *a
		answer.ResponseStatus = "declined"
		e.doc = invitation.WithAnswer(e.doc, answer)
	}
	return e, nil
}

// changeCopy applies a guest's change to the copy. The answer is written to the original in
// the same transaction; the other guests' copies follow.
func (s *Service) changeCopy(
	ctx context.Context, u user, c calendarRow, id, ifMatch string,
	apply func(eventRow, calendarRow) (eventRow, error),
) (e eventRow, err error) {
	found, err := findEvent(ctx, s.world.DB, c, id)
	if err != nil {
		return e, err
	}
	origin, err := calendarByID(ctx, s.world.DB, found.origin)
	if err != nil {
		return e, err
	}
	err = s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := lockCalendars(ctx, tx, c.id, origin.id); err != nil {
			return err
		}
		c, role, err := s.openCalendarIn(ctx, tx, u, c.id, RoleWriterNoSecret)
		if err != nil {
			return err
		}
		old, err := s.changeableEvent(ctx, tx, c, id, role, ifMatch)
		if err != nil {
			return err
		}
		if e, err = apply(old, c); err != nil {
			return err
		}
		if old.cancelled {
			return refusal.Deleted()
		}
		if len(e.doc.Attendees) == 1 && e.doc.Attendees[0].Email == c.id {
			answer := e.doc.Attendees[0] // Who names only themselves answers.
			e.doc.Attendees = old.doc.Attendees
			e.doc = invitation.WithAnswer(e.doc, answer)
		}
		if !invitation.OnlyOwn(old.doc, e.doc, c.id) && !e.cancelled {
			return errNotOrganizer()
		}
		if err := s.answerOriginal(ctx, tx, origin, &e); err != nil {
			return err
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
	return e, err
}

// answerOriginal writes a guest's answer to the organizer's event, and takes over what is
// there now.
func (s *Service) answerOriginal(ctx context.Context, tx *database.Tx, origin calendarRow, e *eventRow) error {
	answer := invitation.Answer(e.doc, e.calendar)
	original, err := findEvent(ctx, tx, origin, e.id)
	if missing, err := refusal.IsMissing(err); err != nil {
		return err
	} else if missing || original.cancelled || answer == nil {
		return nil
	}
	changed := original
	changed.doc = invitation.WithAnswer(original.doc, *answer)
	if !changed.same(original) {
		changed.updated = e.updated
		if err := s.saveInvitation(ctx, tx, origin, original, &changed); err != nil {
			return err
		}
	}
	if !e.cancelled {
		e.doc = invitation.Copy(changed.doc, e.calendar, &e.doc)
	}
	return nil
}

package calendar

import (
	"context"
	"strings"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/calendar/recurrence"
)

// idAlphabet is base32hex in lower case, the alphabet of event ids.
const idAlphabet = "0123456789abcdefghijklmnopqrstuv"

// InsertCalendar makes a secondary calendar that the caller owns.
func (s *Service) InsertCalendar(ctx context.Context, p person, doc calendarJSON) (*calendarJSON, error) {
	if err := checkCalendar(&doc); err != nil {
		return nil, err
	}
	now := s.moment()
	c := calendarRow{
		id:      s.world.IDs.Text(idAlphabet, 26) + "@" + s.world.Dialect.Says(dialect.CalendarIDHost),
		ownerID: p.id, clientID: p.client, doc: doc, version: 1, updated: now,
	}
	err := s.world.DB.WriteKeyed(ctx, writeKey(p.address), func(ctx context.Context, tx *database.Tx) error {
		if err := s.mayOwnMore(ctx, tx, p.id); err != nil {
			return err
		}
		return s.found(ctx, tx, p, c, now)
	})
	return s.calendarToWire(c, p.address), err
}

// mayOwnMore refuses to give somebody more calendars than one may own.
func (s *Service) mayOwnMore(ctx context.Context, tx *database.Tx, user int64) error {
	n, err := countCalendars(ctx, tx, user)
	if err == nil && n >= s.config.CalendarsPerUser {
		return refuse(CodeQuota, "", "Calendar usage limits exceeded: one user owns %d calendars at most.", s.config.CalendarsPerUser)
	}
	return err
}

// checkCalendar holds the rules for what a client may say about a calendar,
// and drops what only the service says.
func checkCalendar(doc *calendarJSON) error {
	doc.Kind, doc.ETag, doc.ID, doc.DataOwner, doc.ConferenceProperties = "", "", "", "", nil
	if doc.TimeZone == "" {
		doc.TimeZone = "UTC"
	}
	if _, err := recurrence.Zone(doc.TimeZone); err != nil {
		return errInvalid("timeZone", "%s is not a known time zone", clip(doc.TimeZone))
	}
	if strings.TrimSpace(doc.Summary) == "" {
		return errRequired("summary")
	}
	return checkTexts(map[string]string{"summary": doc.Summary, "location": doc.Location}, doc.Description)
}

// checkTexts bounds what people write: short texts and a description.
func checkTexts(short map[string]string, description string) error {
	for name, text := range short {
		if utf8.RuneCountInString(text) > 1024 {
			return errInvalid(name, "%s is longer than 1024 characters", name)
		}
	}
	if utf8.RuneCountInString(description) > 8192 {
		return errInvalid("description", "description is longer than 8192 characters")
	}
	return nil
}

// GetCalendar reads a calendar.
func (s *Service) GetCalendar(ctx context.Context, p person, id string) (*calendarJSON, error) {
	c, _, err := s.open(ctx, p, id, RoleFreeBusy)
	if err != nil {
		return nil, err
	}
	return s.calendarAnswer(ctx, c)
}

func (s *Service) calendarAnswer(ctx context.Context, c calendarRow) (*calendarJSON, error) {
	owner, err := personByID(ctx, s.world.DB, c.ownerID)
	if err != nil {
		return nil, err
	}
	return s.calendarToWire(c, owner.address), nil
}

// change is an update (replace) or a patch (merge) of a document.
type change struct {
	body    []byte
	merges  bool
	ifMatch string
}

// ChangeCalendar replaces or merges what its owner says about a calendar.
func (s *Service) ChangeCalendar(ctx context.Context, p person, id string, ch change) (*calendarJSON, error) {
	c, _, err := s.open(ctx, p, id, RoleOwner)
	if err != nil {
		return nil, err
	}
	err = s.world.DB.WriteKeyed(ctx, writeKey(c.id), func(ctx context.Context, tx *database.Tx) error {
		if c, err = calendarByID(ctx, tx, c.id); err != nil {
			return err
		}
		if !matches(ch.ifMatch, etag(c.updated, c.version)) {
			return errCondition()
		}
		doc := calendarJSON{TimeZone: c.doc.TimeZone}
		if err := ch.apply(c.doc, &doc); err != nil {
			return err
		}
		if err := checkCalendar(&doc); err != nil {
			return err
		}
		c.doc, c.version, c.updated = doc, c.version+1, s.moment()
		return putCalendar(ctx, tx, c)
	})
	if err != nil {
		return nil, err
	}
	return s.calendarAnswer(ctx, c)
}

// apply gives the document as it is after the change.
func (ch change) apply(doc, into any) error {
	if ch.merges {
		return merge(doc, ch.body, into)
	}
	return wire.DecodeJSON(ch.body, into)
}

// matches reports whether an If-Match header allows a change of the entity.
func matches(header, tag string) bool {
	if header == "" || header == "*" {
		return true
	}
	for one := range strings.SplitSeq(header, ",") {
		if strings.TrimSpace(one) == tag {
			return true
		}
	}
	return false
}

// DeleteCalendar deletes a secondary calendar. Whoever watched it hears
// not_exists, and everybody's list loses it.
func (s *Service) DeleteCalendar(ctx context.Context, p person, id string) error {
	c, _, err := s.open(ctx, p, id, RoleOwner)
	if err != nil {
		return err
	}
	if c.primary {
		return refuse(CodeNotOfPrimary, "", "A primary calendar cannot be deleted; clear it instead.")
	}
	now := s.moment()
	return s.world.DB.WriteKeyed(ctx, writeKey(c.id), func(ctx context.Context, tx *database.Tx) error {
		if _, err := calendarByID(ctx, tx, c.id); err != nil {
			return err
		}
		holders, err := entryHolders(ctx, tx, c.id)
		if err != nil {
			return err
		}
		for _, user := range holders {
			if err := s.unlistCalendar(ctx, tx, user, c.id, now); err != nil {
				return err
			}
		}
		if err := s.vanish(ctx, tx, c.id, now); err != nil {
			return err
		}
		return deleteCalendar(ctx, tx, c.id)
	})
}

// ClearCalendar deletes all events of a primary calendar.
func (s *Service) ClearCalendar(ctx context.Context, p person, id string) error {
	c, _, err := s.open(ctx, p, id, RoleOwner)
	if err != nil {
		return err
	}
	if !c.primary {
		return refuse(CodeOnlyOfPrimary, "", "Only a primary calendar can be cleared; delete the calendar instead.")
	}
	now := s.moment()
	return s.world.DB.WriteKeyed(ctx, writeKey(c.id), func(ctx context.Context, tx *database.Tx) error {
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
		return s.announce(ctx, tx, eventsOf(c.id), now)
	})
}

// TransferCalendar gives a secondary calendar to another person, who must
// have used the service. The old owner keeps an owner's access.
func (s *Service) TransferCalendar(ctx context.Context, p person, id, to string) error {
	c, _, err := s.open(ctx, p, id, RoleOwner)
	if err != nil {
		return err
	}
	if c.primary || c.ownerID != p.id {
		return errNotDataOwner()
	}
	now := s.moment()
	return s.world.DB.WriteKeyed(ctx, writeKey(c.id), func(ctx context.Context, tx *database.Tx) error {
		heir, err := personByAddress(ctx, tx, strings.ToLower(to))
		if missing, err := none(err); missing || err != nil {
			if missing {
				return errInvalid("newDataOwner", "nobody has the address %s", clip(to))
			}
			return err
		}
		if c, err = calendarByID(ctx, tx, c.id); err != nil {
			return err
		}
		if c.ownerID != p.id {
			return errNotDataOwner()
		}
		if err := s.mayOwnMore(ctx, tx, heir.id); err != nil {
			return err
		}
		c.ownerID, c.version, c.updated = heir.id, c.version+1, now
		if err := putCalendar(ctx, tx, c); err != nil {
			return err
		}
		return s.grant(ctx, tx, c.id, ruleRow{scope: ScopeUser, value: heir.address, role: RoleOwner, updated: now}, now)
	})
}

// clip keeps what an error repeats short.
func clip(text string) string {
	if len(text) > 60 {
		return text[:60] + "…"
	}
	return text
}

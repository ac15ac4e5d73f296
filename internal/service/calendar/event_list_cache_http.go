package calendar

import (
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/calendar/listing"
)

// cacheable reports whether the answer to a list is the same until something
// changes. Sync tokens, oldest changes and endless series depend on the time.
func cacheable(l listing.Request, f eventFilter) bool {
	return l.SyncToken == "" && !f.deleted && f.updatedMin.IsZero() && (!f.single || !f.window.To.IsZero())
}

// cachedList answers with a list of a calendar's events as it was encoded
// before. What it depends on is read before the list itself: a kept answer may
// be newer than its key, never older.
func (s *Service) cachedList(r *route.Request, u user, list func() (*eventsJSON, error)) (any, error) {
	c, role, err := s.openCalendar(r.Context(), u, r.PathValue("calendarId"), RoleFreeBusy)
	if err != nil {
		return nil, err
	}
	key := s.listKey(r, u, c, role)
	if kept, ok := s.lists.Get(key); ok {
		return kept, nil
	}
	events, err := list()
	if err != nil {
		return nil, err
	}
	text, err := wire.EncodeJSON(events)
	if err != nil {
		return nil, err
	}
	kept := memo.Answer{Tag: events.Tag(), Body: text}
	s.lists.Put(key, kept)
	return kept, nil
}

// listKey names all that a list depends on: the reader with their list, the
// calendar with its events, the base of the links, the request, and the hour,
// which bounds how old the sync token of an answer is.
func (s *Service) listKey(r *route.Request, u user, c calendarRow, role Role) string {
	hour := s.world.Clock.Now().Truncate(time.Hour).Unix()
	return fmt.Sprintf("%d %d %s %d %d %d %d %s %d %s%s?%s", u.id, u.listSeq,
		c.id, c.version, c.eventsSeq, c.rulesSeq, c.purgedSeq, role, hour,
		s.base(r.Context()), r.URL.EscapedPath(), r.URL.RawQuery)
}

package calendar

import (
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// lasting reports whether the answer to a list is the same until something
// changes. Sync tokens, oldest changes and endless series depend on the time.
func lasting(l listing, f eventFilter) bool {
	return l.syncToken == "" && !f.deleted && f.updatedMin.IsZero() && (!f.single || !f.window.to.IsZero())
}

// remembered answers with a list of a calendar's events as it was encoded
// before. What it depends on is read before the list itself: a kept answer may
// be newer than its key, never older.
func (s *Service) remembered(r *route.Request, p person, list func() (*eventsJSON, error)) (any, error) {
	c, role, err := s.open(r.Context(), p, r.PathValue("calendarId"), RoleFreeBusy)
	if err != nil {
		return nil, err
	}
	key := s.answerKey(r, p, c, role)
	if kept, ok := s.answers.Get(key); ok {
		return kept, nil
	}
	events, err := list()
	if err != nil {
		return nil, err
	}
	answer, err := maskedAnswer(r, events)
	if err != nil {
		return nil, err
	}
	text, err := wire.EncodeJSON(answer)
	if err != nil {
		return nil, err
	}
	kept := memo.Answer{Tag: events.tag(), Body: text}
	s.answers.Put(key, kept)
	return kept, nil
}

// answerKey names all that a list depends on: the reader with their list, the
// calendar with its events, the base of the links, the request, and the hour,
// which bounds how old the sync token of an answer is.
func (s *Service) answerKey(r *route.Request, p person, c calendarRow, role Role) string {
	hour := s.world.Clock.Now().Truncate(time.Hour).Unix()
	return fmt.Sprintf("%d %d %s %d %d %d %d %s %d %s%s?%s", p.id, p.listSeq, c.id, c.version, c.eventsSeq, c.rulesSeq, c.purgedSeq, role,
		hour, s.base(), r.URL.EscapedPath(), r.URL.RawQuery)
}

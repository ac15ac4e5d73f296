package calendar

import (
	"errors"
	"net/url"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/page"
)

// cursor is what a page token and a sync token carry.
type cursor struct {
	// Sync tells that changes since a sync token are listed.
	Sync bool `json:"y,omitempty"`
	// Since is the change the sync token ended with.
	Since int64 `json:"n,omitempty"`
	// Seq is the newest change when the first page was read: the next sync
	// goes on there, so that nothing between the pages is lost.
	Seq int64 `json:"s"`
	// After is the last row of the page before, by change or by start and id.
	After int64     `json:"a,omitempty"`
	Start time.Time `json:"t,omitzero"`
	ID    string    `json:"i,omitempty"`
	// Role is the caller's when the sync began: with another one other things
	// are visible.
	Role Role `json:"r,omitempty"`
	// From and To are the window that the sync began with.
	From time.Time `json:"f,omitzero"`
	To   time.Time `json:"u,omitzero"`
}

// window is the span between From and To.
func (c cursor) window() span { return span{c.From, c.To} }

// precedes reports whether an event is on a page after the one that ended here.
func (c cursor) precedes(e eventRow) bool {
	return c.ID == "" || e.starts.After(c.Start) || e.starts.Equal(c.Start) && e.id > c.ID
}

// listing is one request for a page.
type listing struct {
	// bind names operation, caller and collection; filters everything else the
	// list depends on.
	bind, filters        string
	pageToken, syncToken string
	size                 int
}

// filters is a canonical form of the parameters that select rows. What only
// changes how an answer looks may differ from page to page.
func filters(q url.Values) string {
	kept := url.Values{}
	for name, values := range q {
		switch name {
		case "pageToken", "maxResults", "alt", "prettyPrint", "fields", "key", "quotaUser", "userIp", "timeZone", "maxAttendees":
		default:
			kept[name] = values
		}
	}
	return kept.Encode()
}

// begin reads the tokens of a request.
func (s *Service) begin(l listing) (cursor, error) {
	var c cursor
	switch {
	case l.pageToken != "":
		if err := s.tokens.Open(l.pageToken, "page "+l.bind+" "+l.filters, &c); err != nil {
			return c, errInvalid("pageToken", "Invalid page token value.")
		}
	case l.syncToken != "":
		err := s.tokens.OpenAt(l.syncToken, "sync "+l.bind, s.world.Clock.Now(), &c)
		if errors.Is(err, page.ErrTokenExpired) || errors.Is(err, page.ErrToken) {
			return c, errFullSync()
		}
		c.Sync, c.Since, c.After = true, c.Seq, c.Seq
	}
	return c, nil
}

func (s *Service) pageToken(l listing, c cursor) string {
	return s.tokens.Seal(c, "page "+l.bind+" "+l.filters)
}

func (s *Service) syncToken(l listing, c cursor) string {
	kept := cursor{Seq: c.Seq, Role: c.Role, From: c.From, To: c.To}
	return s.tokens.SealUntil(kept, "sync "+l.bind, s.world.Clock.Now().Add(s.config.SyncLifetime))
}

// turn cuts rows, of which one more than a page was read, and gives the
// tokens that follow: one of the two is always empty.
func turn[T any](s *Service, l listing, c cursor, rows []T, seq func(T) int64) (cut []T, nextPage, nextSync string) {
	if len(rows) <= l.size {
		return rows, "", s.syncToken(l, c)
	}
	cut = rows[:l.size]
	c.After = seq(cut[len(cut)-1])
	return cut, s.pageToken(l, c), ""
}

// writeKey is the lock that orders the changes of a calendar.
func writeKey(calendar string) string { return Name + " " + calendar }

// none turns "no row" into a flag.
func none(err error) (missing bool, other error) {
	var refused *Error
	if errors.Is(err, database.ErrNotFound) || errors.As(err, &refused) && refused.Code == CodeNotFound {
		return true, nil
	}
	return false, err
}

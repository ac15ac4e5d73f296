package listing

import (
	"errors"
	"net/url"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// Cursor is what a page token and a sync token carry.
type Cursor struct {
	// Sync means that changes since a sync token are listed.
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
	// Within is the change of the series in which the page before stopped, at Start.
	Within int64 `json:"w,omitempty"`
	// Role is the caller's when the sync began: with another one other things
	// are visible.
	Role string `json:"r,omitempty"`
	// From and To are the window that the sync began with.
	From time.Time `json:"f,omitzero"`
	To   time.Time `json:"u,omitzero"`
}

// Request asks for one page.
type Request struct {
	// Bind names operation, caller and collection; Filters everything else the
	// list depends on.
	Bind, Filters        string
	PageToken, SyncToken string
	Size                 int
}

// Filters is a canonical form of the parameters that select rows. What only
// changes how an answer looks may differ from page to page.
func Filters(q url.Values) string {
	kept := url.Values{}
	for name, values := range q {
		switch name {
		case "pageToken", "maxResults", "alt", "prettyPrint", "fields", "key", "quotaUser", "userIp", "timeZone",
			"maxAttendees", "access_token":
		default:
			kept[name] = values
		}
	}
	return kept.Encode()
}

// Tokens makes and reads the tokens of lists.
type Tokens struct {
	sealer   *page.Sealer
	clock    clock.Clock
	lifetime time.Duration
}

// New makes tokens; those for a sync live for a time.
func New(sealer *page.Sealer, c clock.Clock, lifetime time.Duration) *Tokens {
	return &Tokens{sealer: sealer, clock: c, lifetime: lifetime}
}

// Open reads the tokens of a request.
func (t *Tokens) Open(r Request) (Cursor, error) {
	var c Cursor
	switch {
	case r.PageToken != "":
		if err := t.sealer.Open(r.PageToken, "page "+r.Bind+" "+r.Filters, &c); err != nil {
			return c, refusal.Invalid("pageToken", "Invalid page token value.")
		}
	case r.SyncToken != "":
		err := t.sealer.OpenAt(r.SyncToken, "sync "+r.Bind, t.clock.Now(), &c)
		if errors.Is(err, page.ErrTokenExpired) || errors.Is(err, page.ErrToken) {
			return c, refusal.FullSync()
		}
		c.Sync, c.Since, c.After = true, c.Seq, c.Seq
	}
	return c, nil
}

// Page is the token for the page after the cursor.
func (t *Tokens) Page(r Request, c Cursor) string {
	return t.sealer.Seal(c, "page "+r.Bind+" "+r.Filters)
}

// Sync is the token for what changes after the list.
func (t *Tokens) Sync(r Request, c Cursor) string {
	kept := Cursor{Seq: c.Seq, Role: c.Role, From: c.From, To: c.To}
	return t.sealer.SealUntil(kept, "sync "+r.Bind, t.clock.Now().Add(t.lifetime))
}

// Paginate cuts rows, of which one more than a page was read, and gives the
// tokens that follow: one of the two is always empty.
func Paginate[T any](
	t *Tokens, r Request, c Cursor, rows []T, seq func(T) int64,
) (cut []T, nextPage, nextSync string) {
	if len(rows) <= r.Size {
		return rows, "", t.Sync(r, c)
	}
	cut = rows[:r.Size]
	c.After = seq(cut[len(cut)-1])
	return cut, t.Page(r, c), ""
}

// ETag is a quoted decimal of the change's time and number.
func ETag(updated time.Time, seq int64) string {
	return `"` + strconv.FormatInt(updated.UnixMilli(), 10) + padded(seq) + `"`
}

func padded(seq int64) string {
	text := strconv.FormatInt(seq, 10)
	for len(text) < 3 {
		text = "0" + text
	}
	return text
}

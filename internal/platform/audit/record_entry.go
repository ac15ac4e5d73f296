package audit

import (
	"context"
	"embed"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/wire"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations make the table.
func Migrations() database.Migrations { return database.Embedded("audit", migrations) }

// Outcome is how an act ended.
type Outcome string

// The outcomes.
const (
	// Done is an act whose transaction is committed.
	Done Outcome = "done"
	// Begun is the start of long work, whose end is an entry of its own.
	Begun   Outcome = "begun"
	Refused Outcome = "refused"
	Failed  Outcome = "failed"
)

// Outcomes lists them.
func Outcomes() []Outcome { return []Outcome{Done, Begun, Refused, Failed} }

// Entry is one act on record.
type Entry struct {
	ID int64 `json:"id"`
	// At is the world's time.
	At         time.Time `json:"at"`
	Actor      string    `json:"actor"`
	Credential string    `json:"credential,omitempty"`
	Network    string    `json:"network,omitempty"`
	Request    string    `json:"request,omitempty"`
	// Action is two or more words, the area first: "user.disable".
	Action string `json:"action"`
	// Object is what it was done to, by the name that users know.
	Object  string  `json:"object,omitempty"`
	Outcome Outcome `json:"outcome"`
	Detail  string  `json:"detail,omitempty"`
}

// ErrNotFound means that there is no such entry, or no more.
var ErrNotFound = errors.New("audit: no such entry")

// Record adds an entry in the transaction of the act. Actor, credential, network and
// request are those of the context where the entry leaves them empty; an entry without
// an outcome is Done.
func Record(ctx context.Context, tx *database.Tx, now time.Time, e Entry) error {
	noteExplicit(ctx, tx)
	return insert(ctx, tx, now, e)
}

// Longest texts of an entry, in bytes.
const (
	maxName = 300
	maxText = 600
)

// Complete is the entry as it is kept: with what the context knows, and without what is
// too long. Record does it; it is for trails that are kept in another place.
func Complete(ctx context.Context, now time.Time, e Entry) Entry {
	who := From(ctx)
	e.At = now.UTC().Truncate(time.Microsecond)
	for _, text := range []struct {
		to    *string
		other string
		limit int
	}{
		{&e.Actor, who.Name, maxName}, {&e.Credential, who.Credential, maxName}, {&e.Network, who.Network, maxName},
		{&e.Request, who.Request, maxName}, {&e.Action, "", maxName}, {&e.Object, "", maxText}, {&e.Detail, "", maxText},
	} {
		if *text.to == "" {
			*text.to = text.other
		}
		*text.to = plain(*text.to, text.limit)
	}
	if e.Outcome == "" {
		e.Outcome = Done
	}
	return e
}

// plain is text without control characters, cut to a length.
func plain(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	return wire.Clip(text, limit)
}

// Area is the first word of an action.
func Area(action string) string {
	word, _, _ := strings.Cut(action, ".")
	return word
}

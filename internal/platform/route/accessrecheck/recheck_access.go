package accessrecheck

import (
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Every is how long access that was taken back may still be used: an answer that writes
// often does not ask for every piece.
const Every = time.Second

// ErrLost is access that was taken back. The answer ends where it is.
var ErrLost = errors.New("the reader may not have this any more")

// Access is that of a reader to an answer that has begun.
type Access struct {
	clock clock.Clock
	ask   func() error
	next  time.Time
}

// New is access that was checked just now; ask finds out whether the reader has it still,
// and is ErrLost if not.
func New(c clock.Clock, ask func() error) *Access {
	return &Access{clock: c, ask: ask, next: c.Now().Add(Every)}
}

// Check fails once the reader has lost access. It is called before each piece is made.
func (a *Access) Check() error {
	now := a.clock.Now()
	if now.Before(a.next) {
		return nil
	}
	a.next = now.Add(Every)
	return a.ask()
}

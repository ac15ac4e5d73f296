package lasting

import (
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Every is how long a right that was taken back may still be used: an answer that writes
// often does not ask for every piece.
const Every = time.Second

// ErrLost is a right that was taken back. The answer ends where it is.
var ErrLost = errors.New("the reader may not have this any more")

// Right is that of a reader to an answer that has begun.
type Right struct {
	clock clock.Clock
	ask   func() error
	next  time.Time
}

// New is a right that was asked for just now; ask finds out whether the reader has it still,
// and is ErrLost if not.
func New(c clock.Clock, ask func() error) *Right {
	return &Right{clock: c, ask: ask, next: c.Now().Add(Every)}
}

// Check fails once the reader has lost the right. It is called before each piece is made.
func (r *Right) Check() error {
	now := r.clock.Now()
	if now.Before(r.next) {
		return nil
	}
	r.next = now.Add(Every)
	return r.ask()
}

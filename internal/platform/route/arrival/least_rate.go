package arrival

import (
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

const (
	// Start is how long the first Head bytes of a body may take, a body that is smaller as a
	// whole: as long as a header.
	Start = 10 * time.Second
	Head  = 20 << 10
	// Stall is how long each chunk after these may take. It is the same rate, but what came
	// well so far may pause for longer.
	Stall = 30 * time.Second
	chunk = 64 << 10
)

// Rate is how a body has to come: its head within Start, each chunk after it within Stall,
// and all of it before the end. The time between two reads is the handler's and does not count.
type Rate struct {
	// Clock measures the reads.
	Clock clock.Clock
	// End is when all of it has to be there; zero means that there is no such time.
	End time.Time

	begun time.Time     // when the read under way began
	left  time.Duration // for the rest of the chunk
	rest  int           // of the chunk, in bytes
}

// Begin is called before a read and says until when it may take.
func (r *Rate) Begin() time.Time {
	switch {
	case r.begun.IsZero():
		r.rest, r.left = Head, Start
	case r.rest <= 0:
		r.rest, r.left = chunk, Stall
	}
	r.begun = r.Clock.Now()
	at := r.begun.Add(r.left)
	if !r.End.IsZero() && r.End.Before(at) {
		return r.End
	}
	return at
}

// Done is called after a read of n bytes.
func (r *Rate) Done(n int) {
	r.left -= r.Clock.Now().Sub(r.begun)
	r.rest -= n
}

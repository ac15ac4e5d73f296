package listen

import (
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route/arrival"
)

const (
	// watchTime is how often connections are looked at.
	watchTime = time.Second
	// takeLooks is after how many looks a client has to have taken something: the first of them
	// and the last may be late, and ten seconds are promised.
	takeLooks = 7
	// leastTaken is what that is: less than a sender has to bring in the time.
	leastTaken = arrival.Part / 2
)

// unread is how far the client of a connection is with what was written to it. It belongs to watchUnread.
type unread struct {
	taken int64 // bytes, at the first of the looks
	looks int
	none  int64 // since when a connection without a request has nothing left to take
}

// slow looks at a connection that has no request since a time, 0 while it has one, and reports whether
// its client takes too little.
func (u *unread) slow(idle int64, count func() (taken int64, left int)) bool {
	if idle != 0 && u.none == idle {
		return false
	}
	taken, left := count()
	switch {
	case left == 0:
		*u = unread{none: idle}
	case u.looks == 0:
		*u = unread{taken: taken, looks: 1}
	case u.looks < takeLooks:
		u.looks++
	case taken-u.taken < leastTaken:
		return true
	default:
		*u = unread{taken: taken, looks: 1}
	}
	return false
}

// watchUnread closes connections whose clients do not read what they asked for, until there are
// none: an answer that fits into the buffers of the system ends its handler, and nothing else would end.
func (s *Connections) watchUnread(stop <-chan struct{}) {
	for {
		timer := clock.Real().NewTimer(s.pause)
		select {
		case <-timer.C:
		case <-stop:
			timer.Stop()
			s.held.Note(0)
			return
		}
		slow, held := s.look()
		s.held.Note(held * perConnection)
		for _, c := range slow {
			_ = c.SetLinger(0) // what is left is thrown away
			_ = c.Close()      // its client sees what it sees of a server that ends
		}
	}
}

// look finds the connections whose clients take too little, and counts those whose clients are waited for: they are in
// the same request as at the look before, or have something left to take.
func (s *Connections) look() (slow []*slotConn, held int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, own := range s.networks {
		for c := range own {
			idle, begun := c.idle.Load(), c.begun.Load()
			if c.unread.slow(idle, func() (int64, int) { return takenBytes(c.TCPConn) }) {
				slow = append(slow, c)
			}
			if c.unread.looks > 0 || idle == 0 && begun == c.seen {
				held++
			}
			c.seen = begun
		}
	}
	return slow, held
}

package listen

import (
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route/arrival"
)

const (
	// watchTime is how often connections without a request are looked at.
	watchTime = time.Second
	// takeLooks is after how many looks a client has to have taken something: the first of them
	// and the last may be late, and ten seconds are promised.
	takeLooks = 7
	// leastTaken is what that is: less than a sender has to bring in the time.
	leastTaken = arrival.Part / 2
)

// unread is what the system still keeps for the client of a connection without a request: its
// handler is done, so no write ends for it. It belongs to watchUnread.
type unread struct {
	idle  int64 // since when the connection is without a request, as it says
	left  int   // bytes, when they were counted
	looks int   // since then
}

// slow looks at a connection without a request since a time, 0 while it has one, and reports whether
// its client takes too little.
func (u *unread) slow(idle int64, count func() int) bool {
	if idle != u.idle {
		*u = unread{idle: idle}
		if idle != 0 {
			u.left = count()
		}
		return false
	}
	if u.looks++; u.left == 0 || u.looks < takeLooks {
		return false
	}
	before := u.left
	u.left, u.looks = count(), 0
	return u.left > 0 && before-u.left < leastTaken
}

// watchUnread closes connections whose clients do not read what they asked for, until there are
// none: each answer may fit into the buffers of the system, where nothing ends for it.
func (s *Connections) watchUnread(stop <-chan struct{}) {
	for {
		timer := clock.Real().NewTimer(s.pause)
		select {
		case <-timer.C:
		case <-stop:
			timer.Stop()
			return
		}
		for _, c := range s.unread() {
			_ = c.SetLinger(0) // what is left is thrown away
			c.closeIdle()
		}
	}
}

// unread are the connections without a request whose clients take too little.
func (s *Connections) unread() (slow []*slotConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, own := range s.networks {
		for c := range own {
			if c.unread.slow(c.idle.Load(), func() int { return unsentBytes(c.TCPConn) }) {
				slow = append(slow, c)
			}
		}
	}
	return slow
}

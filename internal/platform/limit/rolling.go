package limit

import (
	"slices"
	"time"
)

// maxEvents bounds the memory of one rolling key. A budget of more points than
// this counts a charge as made at the next 1,024th of its length, together with
// all others up to there: never too early, so it never admits too many.
const maxEvents = 1024

// stamp is the moment that a charge made now counts from.
func stamp(w *Window, now int64) int64 {
	if w.Limit <= maxEvents {
		return now
	}
	grain := max(int64(w.Per)/maxEvents, 1)
	return now + (grain-now%grain)%grain
}

// rolling is the state of one key in a rolling window: its charges, oldest
// first, in a ring.
type rolling struct {
	ring []event // length is a power of two, or zero
	head int     // index of the oldest
	n    int     // how many are in use
	used int64   // their sum
	last int64   // moment of the last look, to see the clock jump back
	ends int64   // when the youngest leaves
	ban
}

type event struct{ at, cost int64 }

func (r *rolling) event(i int) *event { return &r.ring[(r.head+i)&(len(r.ring)-1)] }

// roll forgets the charges that lie a whole length back. After a jump back of
// the clock, charges that lie ahead count as made now.
func (r *rolling) roll(w *Window, now int64) {
	if now < r.last {
		for i := range r.n {
			e := r.event(i)
			e.at = min(e.at, stamp(w, now))
		}
	}
	r.last = now
	for r.n > 0 && now-r.event(0).at >= int64(w.Per) {
		r.used -= r.event(0).cost
		r.head = (r.head + 1) & (len(r.ring) - 1)
		r.n--
	}
	r.ends = 0
	if r.n > 0 {
		r.ends = r.event(r.n-1).at + int64(w.Per)
	}
}

// take decides and charges; room reports whether the ring may grow.
func (r *rolling) take(w *Window, now, cost int64, force bool, room func(slots int) bool) Decision {
	r.roll(w, now)
	banned := r.active(&w.Penalty, now)
	if force || (!banned && fits(w.Limit, r.used, cost)) {
		if cost > 0 {
			r.push(w, now, cost, room)
		}
		if !force {
			r.strikes = 0
		}
		return r.decision(w, now, 0, false)
	}
	banned = r.strike(&w.Penalty, now) || banned
	return r.decision(w, now, cost, banned)
}

// probe decides without charging; r is a copy, whose ring is copied as well
// where roll would write to it.
func (r rolling) probe(w *Window, now, cost int64) Decision {
	if now < r.last {
		r.ring = slices.Clone(r.ring)
	}
	r.roll(w, now)
	return r.decision(w, now, cost, r.active(&w.Penalty, now))
}

func (r *rolling) push(w *Window, now, cost int64, room func(slots int) bool) {
	at := stamp(w, now)
	r.used = addSaturated(r.used, cost)
	r.ends = at + int64(w.Per)
	if r.n > 0 {
		if e := r.event(r.n - 1); e.at >= at {
			e.cost = addSaturated(e.cost, cost)
			return
		}
	}
	if r.n == len(r.ring) && !r.grow(room) {
		r.mergeOldest()
	}
	r.n++
	*r.event(r.n - 1) = event{at, cost}
}

// grow doubles the ring if it may.
func (r *rolling) grow(room func(slots int) bool) bool {
	size := max(2*len(r.ring), 4)
	if size > 2*maxEvents || (!room(size-len(r.ring)) && len(r.ring) > 1) {
		return false
	}
	ring := make([]event, size)
	for i := range r.n {
		ring[i] = *r.event(i)
	}
	r.ring, r.head = ring, 0
	return true
}

// mergeOldest makes room without memory: the oldest charge leaves together with
// the one after it, which is later than exact and never earlier.
func (r *rolling) mergeOldest() {
	oldest := *r.event(0)
	r.head = (r.head + 1) & (len(r.ring) - 1)
	r.n--
	e := r.event(0)
	e.cost = addSaturated(e.cost, oldest.cost)
}

// refund gives back a charge made at mark. Merging moves charges to later
// moments only, so the first event at or after mark is the one that holds it.
func (r *rolling) refund(w *Window, now, cost, mark int64) Decision {
	r.roll(w, now)
	if now-mark < int64(w.Per) && r.n > 0 {
		i := 0
		for i < r.n-1 && r.event(i).at < mark {
			i++
		}
		e := r.event(i)
		back := min(cost, e.cost)
		e.cost -= back
		r.used -= back
	}
	return r.decision(w, now, 0, r.active(&w.Penalty, now))
}

func (r *rolling) decision(w *Window, now, cost int64, banned bool) Decision {
	d := Decision{
		Name: w.Name, Limit: max(w.Limit, 0), Used: r.used, Remaining: max(w.Limit-r.used, 0),
		Reset: moment(max(r.ends, now)), Banned: banned, mark: now,
	}
	full := !fits(w.Limit, r.used, cost)
	d.Allowed = !banned && !full
	if full {
		d.RetryAfter = r.wait(w, now, cost)
	}
	if banned {
		d.RetryAfter = max(d.RetryAfter, time.Duration(r.until-now))
	}
	return d
}

// wait is how long until enough charges have left for cost to fit; a cost
// above the whole limit waits for an empty window, though it will not fit then.
func (r *rolling) wait(w *Window, now, cost int64) time.Duration {
	used := r.used
	for i := range r.n {
		e := r.event(i)
		used -= e.cost
		if fits(w.Limit, used, cost) || i == r.n-1 {
			return time.Duration(e.at + int64(w.Per) - now)
		}
	}
	return w.Per
}

func (r *rolling) expires() int64 { return max(r.ends, r.keep) }

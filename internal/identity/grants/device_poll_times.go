package grants

import (
	"sync"
	"time"
)

// pollTimes remembers when each pending device was last heard. It lives in memory
// because polling must not write.
type pollTimes struct {
	mu sync.Mutex
	// last and before are what was heard since turned and in the time before that: a
	// device that gave up is forgotten with the second turn.
	last, before map[int64]pollState
	turned       time.Time
}

// pollState is what is known of one device's polls.
type pollState struct {
	// counted is the last poll that was not too soon.
	counted time.Time
	// at, style and tooSoon describe the last poll of all; paired is set once
	// its twin has come.
	at      time.Time
	style   string
	tooSoon bool
	paired  bool
}

const (
	// pairWindow is how soon the second half of a pair of polls follows the first.
	pairWindow = time.Second
	// intervalTolerance is the part of the interval that a poll may come early, because
	// networks and timers are not exact.
	intervalTolerance = 5
	// keepPolls is the shortest time between two turns.
	keepPolls = 10 * time.Minute
	// maxPolls bounds the devices between two turns.
	maxPolls = 100_000
)

// tooSoon judges the poll against the last counted one. A poll that is too soon is
// not counted, so a device that goes on at the right pace is served.
func (p *pollTimes) tooSoon(id int64, interval time.Duration, style string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil || len(p.last) >= maxPolls || now.Sub(p.turned).Abs() >= max(keepPolls, interval) {
		p.last, p.before, p.turned = map[int64]pollState{}, p.last, now
	}
	last, known := p.last[id]
	if !known {
		last, known = p.before[id]
	}
	if known && !last.paired && last.style != style && now.Sub(last.at).Abs() < pairWindow {
		last.paired = true
		p.last[id] = last
		return last.tooSoon
	}
	gap := now.Sub(last.counted)
	early := known && gap >= 0 && gap < interval-interval/intervalTolerance
	if !early {
		last.counted = now
	}
	last.at, last.style, last.tooSoon, last.paired = now, style, early, false
	p.last[id] = last
	return early
}

// forget drops a device that polls no more.
func (p *pollTimes) forget(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, id)
	delete(p.before, id)
}

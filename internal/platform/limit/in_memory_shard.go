package limit

import (
	"maps"
	"math"
	"sync"
	"time"
)

// shard is one lock's share of the keys.
type shard struct {
	mu       sync.Mutex
	counters map[id]counter
	// overflow is what keys share that found the shard full, by window.
	overflow map[id]counter
	gates    map[id]int64
	unsaved  bool // counters changed since they were saved

	limit   int   // counters this shard may have
	peak    int   // counters it had at most since its map was built
	deleted int   // counters that were taken out of it since then
	sweepAt int   // counters at which expired ones are looked for
	swept   int64 // when that was last done
	earlier int64 // the next expiry, as known then

	_ [64]byte // keeps the locks of neighbours apart
}

// sweepPause is the least time between two searches of a full shard.
const sweepPause = int64(time.Second)

const (
	minSweep = 256
	// maxTurns is how often all counters may change before the map is built anew.
	maxTurns = 4
)

func (s *shard) init(limit int) {
	s.limit = limit
	s.counters = map[id]counter{}
	s.overflow = map[id]counter{}
	s.gates = map[id]int64{}
	s.sweepAt = min(minSweep, limit)
}

// admit reports whether a new key fits. When it does not, expired keys go
// first; live ones never go, because each would come back with a full budget.
func (s *shard) admit(now int64) bool {
	n := len(s.counters)
	if n >= s.sweepAt && (n < s.limit || s.maySweep(now)) {
		s.sweep(now)
	}
	return len(s.counters) < s.limit
}

// maySweep keeps a full shard from searching all its keys for every new one.
func (s *shard) maySweep(now int64) bool {
	return now < s.swept || (now >= s.earlier && now-s.swept >= sweepPause)
}

// sweep forgets expired keys. The next one comes when the number of live keys
// has doubled, so its cost per new key is constant.
func (s *shard) sweep(now int64) {
	s.peak = max(s.peak, len(s.counters))
	s.deleted += len(s.counters)
	s.earlier = deleteExpired(s.counters, now)
	deleteExpired(s.overflow, now)
	s.swept = now
	left := len(s.counters)
	s.deleted -= left
	s.sweepAt = min(max(2*left, minSweep), s.limit)
	if s.peak > minSweep && left < s.peak/4 || s.deleted > maxTurns*max(left, minSweep) {
		// Go's maps keep their memory, and those whose keys come and go grow: after a flood, and after some turns,
		// the map is built anew.
		s.counters = maps.Collect(maps.All(s.counters))
		s.peak, s.deleted = left, 0
	}
}

// deleteExpired returns the next expiry of what is left.
func deleteExpired(counters map[id]counter, now int64) (earliest int64) {
	earliest = math.MaxInt64
	for k, c := range counters {
		if at := c.expires(); at <= now {
			delete(counters, k)
		} else {
			earliest = min(earliest, at)
		}
	}
	return earliest
}

// counter finds a key's counter and where it is to be put back, under which id.
// A key that finds the shard full is counted together with all others of its
// window that did: that refuses too early, never too late. When it fits later
// it brings the common count along.
func (s *shard) counter(w *Window, k id, now int64) (c counter, in map[id]counter, at id) {
	if c, ok := s.counters[k]; ok {
		return c, s.counters, k
	}
	var common id
	if len(s.overflow) > 0 {
		common = makeID(w.Name, "")
		c = s.overflow[common]
	}
	if s.admit(now) {
		if now >= c.ends {
			c = counter{}
		}
		return c, s.counters, k
	}
	if common == (id{}) {
		common = makeID(w.Name, "")
	}
	return c, s.overflow, common
}

func (s *shard) take(w *Window, k id, now, cost int64, force bool) Decision {
	c, in, at := s.counter(w, k, now)
	d := c.take(w, now, cost, force)
	in[at] = c
	s.unsaved = true
	s.earlier = min(s.earlier, c.expires())
	return d
}

// probe decides without charging and without making a counter.
func (s *shard) probe(w *Window, k id, now, cost int64) Decision {
	c, ok := s.counters[k]
	if !ok && len(s.overflow) > 0 {
		c = s.overflow[makeID(w.Name, "")]
	}
	return c.probe(w, now, cost)
}

// refuse notes the refusal d of a charge that was not tried.
func (s *shard) refuse(w *Window, k id, now int64, d Decision) Decision {
	c, in, at := s.counter(w, k, now)
	d = c.refuse(w, now, d)
	in[at] = c
	s.unsaved = true
	return d
}

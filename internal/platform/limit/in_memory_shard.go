package limit

import (
	"math"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/memo"
)

// shard is one lock's share of the keys.
type shard struct {
	mu       sync.Mutex
	counters memo.Map[id, counter]
	// overflow is what keys share that found the shard full, by window.
	overflow memo.Map[id, counter]
	gates    map[id]int64
	unsaved  bool // counters changed since they were saved

	limit   int   // counters this shard may have
	sweepAt int   // counters at which expired ones are looked for
	swept   int64 // when that was last done
	earlier int64 // the next expiry, as known then

	_ [64]byte // keeps the locks of neighbours apart
}

// sweepPause is the least time between two searches of a full shard.
const sweepPause = int64(time.Second)

const minSweep = 256

func (s *shard) init(limit int) {
	s.limit = limit
	s.gates = map[id]int64{}
	s.sweepAt = min(minSweep, limit)
}

// admit reports whether a new key fits. When it does not, expired keys go
// first; live ones never go, because each would come back with a full budget.
func (s *shard) admit(now int64) bool {
	n := s.counters.Len()
	if n >= s.sweepAt && (n < s.limit || s.maySweep(now)) {
		s.sweep(now)
	}
	return s.counters.Len() < s.limit
}

// maySweep keeps a full shard from searching all its keys for every new one.
func (s *shard) maySweep(now int64) bool {
	return now < s.swept || (now >= s.earlier && now-s.swept >= sweepPause)
}

// sweep forgets expired keys. The next one comes when the number of live keys
// has doubled, so its cost per new key is constant.
func (s *shard) sweep(now int64) {
	s.earlier = deleteExpired(&s.counters, now)
	deleteExpired(&s.overflow, now)
	s.swept = now
	s.sweepAt = min(max(2*s.counters.Len(), minSweep), s.limit)
	s.counters.Trim() // after a flood too, when no key is added
}

// deleteExpired returns the next expiry of what is left.
func deleteExpired(counters *memo.Map[id, counter], now int64) (earliest int64) {
	earliest = math.MaxInt64
	for k, c := range counters.Entries() {
		if at := c.expires(); at <= now {
			counters.Delete(k)
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
func (s *shard) counter(w *Window, k id, now int64) (c counter, in *memo.Map[id, counter], at id) {
	if c, ok := s.counters.Get(k); ok {
		return c, &s.counters, k
	}
	var common id
	if s.overflow.Len() > 0 {
		common = makeID(w.Name, "")
		c, _ = s.overflow.Get(common)
	}
	if s.admit(now) {
		if now >= c.ends {
			c = counter{}
		}
		return c, &s.counters, k
	}
	if common == (id{}) {
		common = makeID(w.Name, "")
	}
	return c, &s.overflow, common
}

func (s *shard) take(w *Window, k id, now, cost int64, force bool) Decision {
	c, in, at := s.counter(w, k, now)
	d := c.take(w, now, cost, force)
	in.Set(at, c)
	s.unsaved = true
	s.earlier = min(s.earlier, c.expires())
	return d
}

// probe decides without charging and without making a counter.
func (s *shard) probe(w *Window, k id, now, cost int64) Decision {
	c, ok := s.counters.Get(k)
	if !ok && s.overflow.Len() > 0 {
		c, _ = s.overflow.Get(makeID(w.Name, ""))
	}
	return c.probe(w, now, cost)
}

// refuse notes the refusal d of a charge that was not tried.
func (s *shard) refuse(w *Window, k id, now int64, d Decision) Decision {
	c, in, at := s.counter(w, k, now)
	d = c.refuse(w, now, d)
	in.Set(at, c)
	s.unsaved = true
	return d
}

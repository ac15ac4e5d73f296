package limit

import (
	"sync"
	"time"
)

// shard is one lock's share of the keys.
type shard struct {
	mu    sync.Mutex
	keys  table
	spill table // what keys without room of their own share, by window
	gates map[id]int64

	room    int   // units this shard may hold
	units   int   // units it holds
	peak    int   // units it held at most since its maps were built
	sweepAt int   // units at which expired keys are looked for
	swept   int64 // when that was last done
	earlier int64 // the next expiry, as known then

	_ [64]byte // keeps the locks of neighbours apart
}

// table holds the state of keys. One fixed window weighs one unit, a rolling
// one a unit and one more for each four charges it has room for.
type table struct {
	cells map[id]cell
	rolls map[id]*rolling
}

const eventsPerUnit = 4

// sweepPause is the least time between two searches of a full shard.
const sweepPause = int64(time.Second)

func (s *shard) init(room int) {
	s.room = room
	s.keys.init()
	s.spill.init()
	s.gates = map[id]int64{}
	s.sweepAt = min(minSweep, room)
}

const minSweep = 256

func (t *table) init() {
	t.cells = map[id]cell{}
	t.rolls = map[id]*rolling{}
}

// admit reports whether a new key has room. When there is none, expired keys go
// first; live ones never go, because each would come back with a full budget.
func (s *shard) admit(now int64) bool {
	if s.units >= s.sweepAt && (s.units < s.room || s.maySweep(now)) {
		s.sweep(now)
	}
	return s.units < s.room
}

// maySweep keeps a full shard from searching all its keys for every new one.
func (s *shard) maySweep(now int64) bool {
	return now < s.swept || (now >= s.earlier && now-s.swept >= sweepPause)
}

// sweep forgets expired keys. The next one comes when the number of live keys
// has doubled, so its cost per new key is constant.
func (s *shard) sweep(now int64) {
	s.peak = max(s.peak, s.units)
	s.earlier = 1<<63 - 1
	s.units = s.keys.sweep(now, &s.earlier)
	var ignored int64
	s.spill.sweep(now, &ignored)
	s.swept = now
	s.sweepAt = min(max(2*s.units, minSweep), s.room)
	if s.peak > minSweep && s.units < s.peak/4 {
		// Go's maps keep their memory; after a flood they are built anew.
		s.keys.rebuild()
		s.peak = s.units
	}
}

// sweep forgets expired keys and returns the units of the others.
func (t *table) sweep(now int64, earliest *int64) (units int) {
	for k, c := range t.cells {
		if at := c.expires(); at <= now {
			delete(t.cells, k)
		} else {
			units++
			*earliest = min(*earliest, at)
		}
	}
	for k, r := range t.rolls {
		if at := r.expires(); at <= now {
			delete(t.rolls, k)
		} else {
			units += 1 + len(r.ring)/eventsPerUnit
			*earliest = min(*earliest, at)
		}
	}
	return units
}

func (t *table) rebuild() {
	cells := make(map[id]cell, len(t.cells))
	for k, c := range t.cells {
		cells[k] = c
	}
	rolls := make(map[id]*rolling, len(t.rolls))
	for k, r := range t.rolls {
		rolls[k] = r
	}
	t.cells, t.rolls = cells, rolls
}

// cell finds a key's fixed window and the table it is to be put back to, under
// which id. A key without room is counted together with all others of its
// window that have none: that refuses too early, never too late. When it gets
// room later it brings the common count along.
func (s *shard) cell(w *Window, k id, now int64) (c cell, in *table, at id) {
	if c, ok := s.keys.cells[k]; ok {
		return c, &s.keys, k
	}
	var common id
	if len(s.spill.cells) > 0 {
		common = makeID(w.Name, "")
		c = s.spill.cells[common]
	}
	if s.admit(now) {
		s.units++
		if now >= c.ends {
			c = cell{}
		}
		return c, &s.keys, k
	}
	if common == (id{}) {
		common = makeID(w.Name, "")
	}
	return c, &s.spill, common
}

// rolling is cell for rolling windows; the state is changed in place.
func (s *shard) rolling(w *Window, k id, now int64) *rolling {
	if r, ok := s.keys.rolls[k]; ok {
		return r
	}
	var shared *rolling
	if len(s.spill.rolls) > 0 {
		shared = s.spill.rolls[makeID(w.Name, "")]
	}
	if s.admit(now) {
		r := &rolling{}
		if shared != nil {
			shared.roll(w, now)
			*r = *shared
			r.ring = append([]event(nil), shared.ring...)
		}
		s.units += 1 + len(r.ring)/eventsPerUnit
		s.keys.rolls[k] = r
		return r
	}
	if shared == nil {
		shared = &rolling{}
		s.spill.rolls[makeID(w.Name, "")] = shared
	}
	return shared
}

// peekCell finds a key's fixed window without making one.
func (s *shard) peekCell(w *Window, k id) cell {
	if c, ok := s.keys.cells[k]; ok || len(s.spill.cells) == 0 {
		return c
	}
	return s.spill.cells[makeID(w.Name, "")]
}

// peekRolling finds a key's rolling window; an empty one if there is none.
func (s *shard) peekRolling(w *Window, k id) *rolling {
	r := s.keys.rolls[k]
	if r == nil && len(s.spill.rolls) > 0 {
		r = s.spill.rolls[makeID(w.Name, "")]
	}
	if r == nil {
		r = &rolling{}
	}
	return r
}

// grow asks for memory for more charges of a rolling key.
func (s *shard) grow(slots int) bool {
	units := slots / eventsPerUnit
	if s.units+units > s.room {
		return false
	}
	s.units += units
	return true
}

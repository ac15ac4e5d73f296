package limit

import (
	"slices"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// memory counts in this process.
type memory struct {
	clock  clock.Clock
	shards [shardCount]shard
}

const shardCount = 64

func newMemory(c clock.Clock, maxKeys int) *memory {
	m := &memory{clock: c}
	for i := range m.shards {
		m.shards[i].init(max(maxKeys/shardCount, 1))
	}
	return m
}

func (m *memory) shard(k id) *shard { return &m.shards[k[0]%shardCount] }

// now is read under a shard's lock, so that the charges of a key are made in
// the order of their times.
func (m *memory) now() int64 { return m.clock.Now().UnixNano() }

func (m *memory) take(w *Window, key string, cost int64, force bool) Decision {
	k := makeID(w.Name, key)
	s := m.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(w, k, m.now(), cost, force)
}

func (s *shard) take(w *Window, k id, now, cost int64, force bool) Decision {
	if w.Rolling {
		r := s.rolling(w, k, now)
		d := r.take(w, now, cost, force, s.grow)
		s.earlier = min(s.earlier, r.expires())
		return d
	}
	c, in, at := s.cell(w, k, now)
	d := c.take(w, now, cost, force)
	in.cells[at] = c
	s.earlier = min(s.earlier, c.expires())
	return d
}

func (m *memory) peek(w *Window, key string) Decision {
	k := makeID(w.Name, key)
	s := m.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.probe(w, k, m.now(), 0)
}

func (s *shard) probe(w *Window, k id, now, cost int64) Decision {
	if w.Rolling {
		return s.peekRolling(w, k).probe(w, now, cost)
	}
	return s.peekCell(w, k).probe(w, now, cost)
}

func (m *memory) refund(w *Window, key string, cost, mark int64) Decision {
	k := makeID(w.Name, key)
	s := m.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := m.now()
	if r, ok := s.keys.rolls[k]; ok && w.Rolling {
		return r.refund(w, now, cost, mark)
	}
	if c, ok := s.keys.cells[k]; ok && !w.Rolling {
		d := c.refund(w, now, cost, mark)
		s.keys.cells[k] = c
		return d
	}
	// What was charged to the common count stays there: it stands for several
	// keys, and giving back could open it for another one.
	return s.probe(w, k, now, 0)
}

// takeAll looks at every charge under all locks before it makes the first. It
// returns the index of the first that does not fit, or -1.
func (m *memory) takeAll(charges []Charge, decisions []Decision) (refused int) {
	var fewKeys [8]id
	var fewShards [8]int
	keys, order := fewKeys[:0], fewShards[:0]
	for i := range charges {
		k := makeID(charges[i].Window.Name, charges[i].Key)
		keys = append(keys, k)
		order = append(order, int(k[0]%shardCount))
	}
	// Always the same order of locks, each once: no two calls can wait for
	// each other.
	slices.Sort(order)
	order = slices.Compact(order)
	for _, i := range order {
		m.shards[i].mu.Lock()
	}
	defer func() {
		for _, i := range order {
			m.shards[i].mu.Unlock()
		}
	}()

	now := m.now()
	refused = -1
	for i := range charges {
		c := &charges[i]
		decisions[i] = m.shard(keys[i]).probe(&c.Window, keys[i], now, c.Cost+before(charges, keys, i))
		if refused < 0 && !decisions[i].Allowed {
			refused = i
		}
	}
	for i := range charges {
		c := &charges[i]
		if refused < 0 {
			decisions[i] = m.shard(keys[i]).take(&c.Window, keys[i], now, c.Cost, false)
		} else if i == refused && c.Window.Penalty.After > 0 {
			decisions[i] = m.shard(keys[i]).strike(&c.Window, keys[i], now, decisions[i])
		}
	}
	return refused
}

// before is what the same call charges to the same key already.
func before(charges []Charge, keys []id, i int) (cost int64) {
	for j := range i {
		if keys[j] == keys[i] && charges[j].Window.Rolling == charges[i].Window.Rolling {
			cost = addSaturated(cost, charges[j].Cost)
		}
	}
	return cost
}

// strike notes the refusal d of a charge that was not tried.
func (s *shard) strike(w *Window, k id, now int64, d Decision) Decision {
	var b ban
	if w.Rolling {
		r := s.rolling(w, k, now)
		r.strike(&w.Penalty, now)
		b = r.ban
	} else {
		c, in, at := s.cell(w, k, now)
		c.roll(w, now)
		c.strike(&w.Penalty, now)
		in.cells[at] = c
		b = c.ban
	}
	if now < b.until {
		d.Banned = true
		d.RetryAfter = max(d.RetryAfter, time.Duration(b.until-now))
	}
	return d
}

// enter counts one holder more, if there is room.
func (m *memory) enter(name, key string, limit int64) (release func(), d Decision) {
	k := makeID(name, key)
	s := m.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.gates[k]
	ok := held < limit
	if ok {
		held++
		s.gates[k] = held
	}
	d = gateDecision(name, held, limit, ok, m.clock.Now())
	if !ok {
		return noRelease, d
	}
	var done atomic.Bool
	return func() {
		if done.Swap(true) {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.gates[k]--; s.gates[k] <= 0 {
			delete(s.gates, k)
		}
	}, d
}

func noRelease() {}

func gateDecision(name string, held, limit int64, ok bool, now time.Time) Decision {
	d := Decision{
		Name: name, Allowed: ok, Limit: max(limit, 0), Used: held, Remaining: max(limit-held, 0),
		Reset: now.UTC(),
	}
	if !ok {
		// Nobody knows when a holder leaves; a second is a polite guess.
		d.RetryAfter = gateRetry
		d.Reset = d.Reset.Add(gateRetry)
	}
	return d
}

const gateRetry = time.Second

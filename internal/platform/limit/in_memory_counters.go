package limit

import (
	"slices"
	"sync"

	"stoa.dev/stoa/internal/platform/clock"
)

// memory counts in this process.
type memory struct {
	clock  clock.Clock
	shards [shardCount]shard
	saving sync.Mutex // one Save at a time: who finds nothing to save may rely on it
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

func (m *memory) peek(w *Window, key string) Decision {
	k := makeID(w.Name, key)
	s := m.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.probe(w, k, m.now(), 0)
}

func (m *memory) refund(w *Window, key string, cost, mark int64) Decision {
	k := makeID(w.Name, key)
	s := m.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := m.now()
	if c, ok := s.counters.Get(k); ok {
		d := c.refund(w, now, cost, mark)
		s.counters.Set(k, c)
		s.unsaved = true
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
			decisions[i] = m.shard(keys[i]).refuse(&c.Window, keys[i], now, decisions[i])
		}
	}
	return refused
}

// before is what the same call charges to the same key already.
func before(charges []Charge, keys []id, i int) (cost int64) {
	for j := range i {
		if keys[j] == keys[i] {
			cost = addSaturated(cost, charges[j].Cost)
		}
	}
	return cost
}

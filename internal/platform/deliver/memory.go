package deliver

import (
	"sync"
	"time"
)

// memory keeps a bounded number of values until their time is over.
type memory[V any] struct {
	mu     sync.Mutex
	max    int
	values map[string]remembered[V]
}

type remembered[V any] struct {
	value V
	until time.Time
}

func newMemory[V any](max int) *memory[V] {
	return &memory[V]{max: max, values: map[string]remembered[V]{}}
}

func (m *memory[V]) get(key string, now time.Time) (value V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, ok := m.values[key]
	if !ok || !now.Before(kept.until) {
		return value, false
	}
	return kept.value, true
}

// put makes room by dropping whatever comes first: everything in here can be asked again.
func (m *memory[V]) put(key string, value V, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for old := range m.values {
		if len(m.values) < m.max {
			break
		}
		delete(m.values, old)
	}
	m.values[key] = remembered[V]{value, until}
}

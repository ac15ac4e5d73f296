package conduct

// maxMemory bounds what one check remembers of one kind.
const maxMemory = 20_000

// Memory is a map of bounded size. When it is full it forgets everything: a check
// that asks it must not take what is missing for a breach.
type Memory[K comparable, V any] struct{ entries map[K]V }

// Get is what is remembered.
func (m *Memory[K, V]) Get(key K) (V, bool) {
	v, ok := m.entries[key]
	return v, ok
}

// Put remembers.
func (m *Memory[K, V]) Put(key K, value V) {
	if m.entries == nil || len(m.entries) >= maxMemory {
		m.entries = map[K]V{}
	}
	m.entries[key] = value
}

// Delete forgets one entry.
func (m *Memory[K, V]) Delete(key K) { delete(m.entries, key) }

// Each visits all entries in no order: what it finds is to be sorted.
func (m *Memory[K, V]) Each(visit func(K, V)) {
	for key, value := range m.entries {
		visit(key, value)
	}
}

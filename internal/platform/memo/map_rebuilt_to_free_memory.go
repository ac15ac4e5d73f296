package memo

import "maps"

const (
	// maxTurns is how often all entries may change before the map is built anew.
	maxTurns = 4
	// smallMap is how many entries are no more trouble than fewer.
	smallMap = 64
)

// Map is a map whose keys come and go for as long as the process runs. One of Go's keeps the memory of the most that
// was in it, and with the turnover of its keys it takes more, however many it holds: its tables divide while they are
// full of places of deleted keys. This one is built anew after some turns, and when little is left in it. That is
// done as keys are added, so each costs the same in the long run. The zero value is empty and ready; it is not safe
// for concurrent use.
type Map[K comparable, V any] struct {
	entries map[K]V
	// most is how many entries there were at most since the map was built, deleted how many were taken out of it.
	most, deleted int
}

// Entries are for reading, be it in a loop that deletes or with a key that is not allocated. What changes them are the
// methods.
func (m *Map[K, V]) Entries() map[K]V { return m.entries }

// Get returns the value of a key.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	value, ok = m.entries[key]
	return value, ok
}

// Len is the number of entries.
func (m *Map[K, V]) Len() int { return len(m.entries) }

// Set keeps a value, in place of the one that the key had.
func (m *Map[K, V]) Set(key K, value V) {
	m.Trim()
	if m.entries == nil {
		m.entries = map[K]V{}
	}
	m.entries[key] = value
	m.most = max(m.most, len(m.entries))
}

// Delete takes a key out, if it is there.
func (m *Map[K, V]) Delete(key K) {
	before := len(m.entries)
	delete(m.entries, key)
	m.deleted += before - len(m.entries)
}

// Clear takes all keys out.
func (m *Map[K, V]) Clear() { *m = Map[K, V]{} }

// Trim gives back what the entries do not need, where that is much. Set does so too.
func (m *Map[K, V]) Trim() {
	left := len(m.entries)
	if m.deleted <= maxTurns*max(left, smallMap) && (m.most <= smallMap || left >= m.most/4) {
		return
	}
	m.entries = maps.Collect(maps.All(m.entries))
	m.most, m.deleted = left, 0
}

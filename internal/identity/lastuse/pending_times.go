package lastuse

import (
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/memo"
)

// maxPending bounds the memory of times not yet written. What does not
// fit is lost, which makes a last-used time a little older than it was.
const maxPending = 100_000

// Times are the times of last use that are not yet written, by what was used. The zero
// value is ready.
type Times[K comparable] struct {
	mu sync.Mutex
	at memo.Map[K, time.Time]
}

// Use is something with the time of its last use.
type Use[K comparable] struct {
	Key K
	At  time.Time
}

// Note keeps the time unless a newer one is known.
func (t *Times[K]) Note(k K, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, known := t.at.Get(k)
	if (known || t.at.Len() < maxPending) && now.After(old) {
		t.at.Set(k, now)
	}
}

// Latest is the newer of what is stored and what is not yet written.
func (t *Times[K]) Latest(k K, stored time.Time) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, _ := t.at.Get(k); at.After(stored) {
		return at.UTC().Truncate(time.Second)
	}
	return stored
}

// Pending copies what is not yet written. It stays until Drop is called, so that a
// request in between still sees it.
func (t *Times[K]) Pending() []Use[K] {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]Use[K], 0, t.at.Len())
	for k, at := range t.at.Entries() {
		list = append(list, Use[K]{k, at})
	}
	return list
}

// Drop removes what was written and not used again since.
func (t *Times[K]) Drop(written []Use[K]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range written {
		if at, _ := t.at.Get(w.Key); at.Equal(w.At) {
			t.at.Delete(w.Key)
		}
	}
	t.at.Trim() // not only with the next use, which may be long after a flood of them
}

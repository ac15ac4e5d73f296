package ahead

import (
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Arrivals remembers the earliest due time of the jobs that came since it was reset. It
// is safe for concurrent use.
type Arrivals struct {
	mu    sync.Mutex
	some  bool
	first time.Time
}

// Note takes one in that is due at a time, or later.
func (a *Arrivals) Note(at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.some || at.Before(a.first) {
		a.some, a.first = true, at
	}
}

// Reset forgets all.
func (a *Arrivals) Reset() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.some = false
}

// First is the earliest; MaxTime where none came.
func (a *Arrivals) First() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.some {
		return database.MaxTime()
	}
	return a.first
}

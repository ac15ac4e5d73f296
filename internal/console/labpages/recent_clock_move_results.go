package labpages

import (
	"strconv"
	"sync"
)

// maxMoves bounds what is kept: a page is shown at once after its move.
const maxMoves = 16

// recentMoves keeps what ran when a clock moved, for the page that the browser asks for
// next. The zero value is ready.
type recentMoves struct {
	mu   sync.Mutex
	last int
	list map[int]*moved
}

// keep returns the name for kept.
func (r *recentMoves) keep(m *moved) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list == nil {
		r.list = map[int]*moved{}
	}
	r.last++
	r.list[r.last] = m
	delete(r.list, r.last-maxMoves)
	return strconv.Itoa(r.last)
}

// kept is nil for what is not kept, or not any more.
func (r *recentMoves) kept(name string) *moved {
	n, err := strconv.Atoi(name)
	if err != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list[n]
}

package journal

import "sync/atomic"

// Pool bounds what the journals of a process take together. While they take more
// than that, each that grows keeps within an equal share: one that grew while it
// was alone gives back with its next record, so that all together stay below twice
// the bound.
type Pool struct {
	max  int64
	used atomic.Int64
	// filled counts the journals that hold something.
	filled atomic.Int64
}

// NewPool makes a pool of so many bytes.
func NewPool(max int64) *Pool { return &Pool{max: max} }

// grow counts bytes; turned is true for a journal's first and last.
func (p *Pool) grow(n int64, turned bool) {
	if p == nil {
		return
	}
	p.used.Add(n)
	switch {
	case turned && n > 0:
		p.filled.Add(1)
	case turned:
		p.filled.Add(-1)
	}
}

// share is how much one journal may take now.
func (p *Pool) share() int64 {
	const unbounded = int64(1) << 62
	if p == nil || p.used.Load() <= p.max {
		return unbounded
	}
	return p.max / max(p.filled.Load(), 1)
}

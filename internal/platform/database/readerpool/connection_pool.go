package readerpool

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Options are what a pool is made from.
type Options[C io.Closer] struct {
	// Max bounds the connections that are open at once.
	Max int
	// Open opens one. Warm is called for the first, beside what the caller does next.
	Open func() (C, error)
	Warm func(C) error
	// Closed is what a closed pool answers.
	Closed error
}

// Pool is safe for concurrent use.
type Pool[C io.Closer] struct {
	o      Options[C]
	slots  chan struct{} // one token per connection in use
	opened chan struct{} // closed when the first connection is open, or failed

	mu     sync.Mutex
	idle   []C // last in, first out: the warmest cache
	open   int64
	closed bool
}

// New opens one connection beside what the caller does next. The others are opened
// when they are needed.
func New[C io.Closer](o Options[C]) *Pool[C] {
	p := &Pool[C]{o: o, slots: make(chan struct{}, o.Max), opened: make(chan struct{})}
	go p.openFirst()
	return p
}

// openFirst leaves the first connection among the idle ones. Where it fails, the
// first who needs one tries again and is told why.
func (p *Pool[C]) openFirst() {
	defer close(p.opened)
	c, err := p.o.Open()
	if err != nil {
		return
	}
	if p.o.Warm(c) != nil {
		_ = c.Close() // it only read
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle, p.open = append(p.idle, c), p.open+1
}

// Acquire takes a connection, which Release gives back.
func (p *Pool[C]) Acquire(ctx context.Context) (c C, err error) {
	select {
	case p.slots <- struct{}{}:
	default:
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return c, ctx.Err()
		}
	}
	if c, err = p.take(); err != nil {
		<-p.slots
	}
	return c, err
}

func (p *Pool[C]) take() (c C, err error) {
	<-p.opened
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return c, p.o.Closed
	}
	if n := len(p.idle); n > 0 {
		c = p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.open++
	p.mu.Unlock()

	if c, err = p.o.Open(); err != nil {
		p.mu.Lock()
		p.open--
		p.mu.Unlock()
	}
	return c, err
}

// Release gives a connection back, or closes one that is not trusted again.
func (p *Pool[C]) Release(c C, trusted bool) {
	p.mu.Lock()
	keep := trusted && !p.closed
	if keep {
		p.idle = append(p.idle, c)
	} else {
		p.open--
	}
	p.mu.Unlock()
	if !keep {
		_ = c.Close() // it only read
	}
	<-p.slots
}

// Trim closes the idle connections but the warmest, which shrinks itself.
func (p *Pool[C]) Trim(shrink func(C) error) error {
	<-p.opened
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	for _, c := range p.idle[:last] {
		_ = c.Close() // it only read
	}
	warmest := p.idle[last]
	p.idle, p.open = append([]C(nil), warmest), p.open-int64(last)
	return shrink(warmest)
}

// Count is how many connections are open, and how many of them are in use.
func (p *Pool[C]) Count() (open, busy int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open, p.open - int64(len(p.idle))
}

// Close closes the idle connections; one in use is closed when it comes back.
func (p *Pool[C]) Close() error {
	<-p.opened
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.open -= int64(len(idle))
	p.mu.Unlock()
	var failed error
	for _, c := range idle {
		failed = errors.Join(failed, c.Close())
	}
	return failed
}

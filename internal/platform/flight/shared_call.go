package flight

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/singleflight"
)

// ErrClosed is what callers get after Close.
var ErrClosed = errors.New("flight: the group is closed")

// Work is what is shared. Its context ends with the group.
type Work[V any] func(ctx context.Context) (V, error)

// Group shares work by key.
type Group[V any] struct {
	calls  singleflight.Group
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// New makes a Group, which must be closed.
func New[V any]() *Group[V] {
	g := &Group[V]{}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g
}

// Do runs the work of the key unless it is under way already, and waits for its
// result as long as the caller's context lasts.
func (g *Group[V]) Do(ctx context.Context, key string, work Work[V]) (value V, err error) {
	select {
	case r := <-g.start(key, work):
		value, _ = r.Val.(V)
		return value, r.Err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// Go begins the work of the key unless it is under way already, and does not
// wait.
func (g *Group[V]) Go(key string, work Work[V]) { g.start(key, work) }

func (g *Group[V]) start(key string, work Work[V]) <-chan singleflight.Result {
	return g.calls.DoChan(key, func() (value any, err error) {
		if !g.enter() {
			return nil, ErrClosed
		}
		defer g.running.Done()
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("flight: panic: %v", p)
			}
		}()
		return work(g.ctx)
	})
}

func (g *Group[V]) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.running.Add(1)
	return true
}

// Close ends the context of the work under way and waits until it has returned.
func (g *Group[V]) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.cancel()
	g.running.Wait()
}

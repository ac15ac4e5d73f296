package packages

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
)

// flights lets many callers wait for one piece of work and share what it
// brings. The work belongs to nobody in particular: it has its own time limit
// and goes on when the caller who asked first has left. So that callers who
// leave at once cannot pile it up, what is under way has places, with a share
// for each owner.
type flights[V any] struct {
	places *budget.Pool
	mu     sync.Mutex
	under  map[string]*flight[V]
	closed bool
	group  sync.WaitGroup
	base   context.Context
	stop   context.CancelFunc
}

type flight[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// errClosed answers callers while the service shuts down.
var errClosed = errors.New("the service is closing")

func newFlights[V any](places *budget.Pool) *flights[V] {
	f := &flights[V]{places: places, under: map[string]*flight[V]{}}
	f.base, f.stop = context.WithCancel(context.Background())
	return f
}

// do runs work under the key unless it is under way already, and waits for it
// as long as the caller's context lasts.
func (f *flights[V]) do(ctx context.Context, owner budget.Owner, key string, limit time.Duration, work func(context.Context) (V, error)) (V, error) {
	var none V
	one, err := f.join(owner, key, limit, work)
	if err != nil {
		return none, err
	}
	select {
	case <-one.done:
		return one.value, one.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// has reports whether work is under way under the key.
func (f *flights[V]) has(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.under[key] != nil
}

func (f *flights[V]) join(owner budget.Owner, key string, limit time.Duration, work func(context.Context) (V, error)) (*flight[V], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, errClosed
	}
	if one := f.under[key]; one != nil {
		return one, nil
	}
	place, err := f.places.Take(f.base, owner, 1)
	if err != nil {
		return nil, err
	}
	one := &flight[V]{done: make(chan struct{})}
	f.under[key] = one
	f.group.Go(func() {
		ctx, cancel := context.WithTimeout(f.base, limit)
		defer cancel()
		defer place.Release()
		defer func() {
			f.mu.Lock()
			delete(f.under, key)
			f.mu.Unlock()
			close(one.done)
		}()
		one.value, one.err = protect(ctx, work)
	})
	return one, nil
}

// protect turns a panic into an error: what a registry sends must not end the
// process.
func protect[V any](ctx context.Context, work func(context.Context) (V, error)) (value V, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("reading the registry's answer panicked: %v", r)
		}
	}()
	return work(ctx)
}

// close ends the work under way and waits for it.
func (f *flights[V]) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.stop()
	f.group.Wait()
}

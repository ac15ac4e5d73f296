package packages

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// flights lets many callers wait for one piece of work. The work belongs to
// nobody in particular: it has its own time limit and goes on when the caller
// who asked first has left.
type flights struct {
	mu     sync.Mutex
	under  map[string]*flight
	closed bool
	group  sync.WaitGroup
	base   context.Context
	stop   context.CancelFunc
}

type flight struct {
	done chan struct{}
	err  error
}

// errClosed answers callers while the service shuts down.
var errClosed = errors.New("the service is closing")

func newFlights() *flights {
	f := &flights{under: map[string]*flight{}}
	f.base, f.stop = context.WithCancel(context.Background())
	return f
}

// do runs work under the key unless it is under way already, and waits for it
// as long as the caller's context lasts.
func (f *flights) do(ctx context.Context, key string, limit time.Duration, work func(context.Context) error) error {
	one, err := f.join(key, limit, work)
	if err != nil {
		return err
	}
	select {
	case <-one.done:
		return one.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *flights) join(key string, limit time.Duration, work func(context.Context) error) (*flight, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, errClosed
	}
	if one := f.under[key]; one != nil {
		return one, nil
	}
	one := &flight{done: make(chan struct{})}
	f.under[key] = one
	f.group.Go(func() {
		ctx, cancel := context.WithTimeout(f.base, limit)
		defer cancel()
		defer func() {
			f.mu.Lock()
			delete(f.under, key)
			f.mu.Unlock()
			close(one.done)
		}()
		one.err = protect(ctx, work)
	})
	return one, nil
}

// protect turns a panic into an error: what a registry sends must not end the
// process.
func protect(ctx context.Context, work func(context.Context) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("reading the registry's answer panicked: %v", r)
		}
	}()
	return work(ctx)
}

// close ends the work under way and waits for it.
func (f *flights) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.stop()
	f.group.Wait()
}

package kms

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/singleflight"
)

// flights runs slow work once for everybody who waits for it, on a context of
// the service and not of whoever came first.
type flights struct {
	group  singleflight.Group
	life   context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

func newFlights() *flights {
	f := &flights{}
	f.life, f.cancel = context.WithCancel(context.Background())
	return f
}

// start begins the work unless it is under way, and does not wait.
func (f *flights) start(name string, work func(ctx context.Context) (any, error)) <-chan singleflight.Result {
	return f.group.DoChan(name, func() (result any, err error) {
		if !f.enter() {
			return nil, fail(CodeUnavailable, nil, "the server is stopping")
		}
		defer f.running.Done()
		defer func() {
			if p := recover(); p != nil {
				err = fail(CodeInternal, fmt.Errorf("panic: %v", p), "%s failed", name)
			}
		}()
		return work(f.life)
	})
}

func (f *flights) enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.running.Add(1)
	return true
}

// do waits for the work as long as the caller's context allows.
func (f *flights) do(ctx context.Context, name string, work func(ctx context.Context) (any, error)) (any, error) {
	select {
	case r := <-f.start(name, work):
		return r.Val, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// close ends what is under way and waits for it.
func (f *flights) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.cancel()
	f.running.Wait()
}

package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// faultyStore decides of every call of the database what becomes of it.
type faultyStore struct {
	options Options
	clock   *clock.Virtual

	mu       sync.Mutex
	requests uint64
	random   *rand.Rand            // of the request that is under way
	armed    bool                  // faults happen only while a client waits
	still    bool                  // time does not pass
	met      int                   // faults since the last request began
	points   []string              // of each call that wrote, what was under way
	name     string                // what is under way
	log      func() int64          // how long the log of the database is
	image    func(log int64) error // copies the folder, with so much of the log
	ended    bool                  // the process has ended: nothing is done any more
	broken   error                 // why no image could be made
}

// mark is what the context of the request that is under way has. Work beside it, which
// comes when it comes, meets no fault: it would not come alike twice.
type mark struct{}

// begin is the context of the next request, which is a kind of work.
func (s *faultyStore) begin(ctx context.Context, kind string) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.name = kind
	s.met, s.random = 0, rand.New(rand.NewPCG(s.options.Seed, 1<<32+s.requests))
	return context.WithValue(ctx, mark{}, s.requests)
}

func newFaultyStore(o Options, c *clock.Virtual) *faultyStore {
	return &faultyStore{options: o, clock: c}
}

// arm lets faults happen.
func (s *faultyStore) arm(armed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = armed
}

// faults is how many calls of the request failed or were cut.
func (s *faultyStore) faults() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.met
}

type fate int

const (
	healthy fate = iota
	failing
	cut
	stalled
)

func (s *faultyStore) draw(ctx context.Context, call database.Call) fate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.armed || ctx.Value(mark{}) != s.requests {
		return healthy
	}
	n, o := s.random.IntN(100), s.options
	switch {
	case n < o.Fail:
		s.met++
		return failing
	case n < o.Fail+o.Cut && call == database.CallWrite:
		s.met++
		return cut
	case n < o.Fail+o.Cut+o.Stall && !s.still:
		return stalled
	}
	return healthy
}

// around is database.Options.Around.
func (s *faultyStore) around(ctx context.Context, call database.Call, run func() error) error {
	if s.over() {
		return errEnded
	}
	if s.point(ctx, call) {
		return s.end(run)
	}
	switch s.draw(ctx, call) {
	case failing:
		return fmt.Errorf("simulated: %w", database.ErrUnavailable)
	case cut:
		if err := run(); err != nil {
			return err
		}
		return fmt.Errorf("simulated: %w", database.ErrUnknown)
	case stalled:
		s.clock.Advance(time.Second)
	case healthy:
	}
	return run()
}

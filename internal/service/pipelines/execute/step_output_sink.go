package execute

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// sink takes the output of one step to the reporter.
type sink struct {
	ctx      context.Context
	clock    clock.Clock
	reporter Reporter
	mask     *mask
	step     int
	left     int64
	silence  time.Duration
	fail     func(error)
	out      func([]byte) error // emit, made once

	mu        sync.Mutex // of what a step says and what we say about it
	truncated bool
	// last is when something came, in nanoseconds of the clock; busy is set
	// while the reporter holds us back, which is not the step's silence.
	last atomic.Int64
	busy atomic.Bool
	// ended is closed when the step has no more to say.
	ended chan struct{}
	once  sync.Once
}

func (s *sink) touch() { s.last.Store(s.clock.Now().UnixNano()) }

func (s *sink) idle() time.Duration {
	if s.busy.Load() {
		return 0
	}
	return time.Duration(s.clock.Now().UnixNano() - s.last.Load())
}

// write masks and passes on, and returns how much: the rest comes again with
// what follows. The first failure of the reporter ends the run.
func (s *sink) write(p []byte, end bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy.Store(true)
	passed, err := s.mask.scan(p, end, s.out)
	s.busy.Store(false)
	s.touch()
	if err != nil {
		s.fail(err)
		return len(p)
	}
	return passed
}

// emit bounds what is kept of a step and tells its reader where it was cut.
func (s *sink) emit(kind string, p []byte) error {
	if int64(len(p)) > s.left {
		p = p[:s.left]
	}
	s.left -= int64(len(p))
	if len(p) > 0 {
		if err := s.reporter.Output(s.ctx, s.step, kind, p); err != nil {
			return err
		}
	}
	if s.left == 0 && !s.truncated {
		s.truncated = true
		return s.reporter.Output(s.ctx, s.step, "err", []byte("\n[the rest of this step's output is not kept]\n"))
	}
	return nil
}

// say adds a line of ours. It may repeat a name that the job made of a secret.
func (s *sink) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy.Store(true)
	defer s.busy.Store(false)
	if _, err := s.mask.scan([]byte(text+"\n"), true, s.out); err != nil {
		s.fail(err)
	}
	s.touch()
}

// close marks the end.
func (s *sink) close() { s.once.Do(func() { close(s.ended) }) }

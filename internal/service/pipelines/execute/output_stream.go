package execute

import (
	"bytes"
	"context"
	"io"
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

// stream reads one pipe out of the sandbox, through which steps speak one after
// the other. The supervisor writes the marker when a step has ended.
type stream struct {
	pipe   io.Reader
	marker []byte
	// longest is the most that a sink holds back.
	longest int

	mu  sync.Mutex
	now *sink
}

// chunk is how much is read at once: the capacity of a pipe.
const chunk = 64 << 10

// to sets who speaks next. It is called before the step begins.
func (s *stream) to(next *sink) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = next
}

// run reads to the end of the pipe. Nothing is allocated on the way.
func (s *stream) run() {
	buf := make([]byte, chunk+len(s.marker)+s.longest)
	held := 0
	for {
		n, err := s.pipe.Read(buf[held : held+chunk])
		data := buf[:held+n]
		for {
			i := bytes.Index(data, s.marker)
			if i < 0 {
				break
			}
			s.deliver(data[:i], true)
			data = data[i+len(s.marker):]
		}
		if err != nil {
			s.deliver(data, true)
			return
		}
		passed := s.deliver(data[:len(data)-overlap(data, s.marker)], false)
		held = copy(buf, data[passed:])
	}
}

// deliver gives bytes to who speaks and returns how many it took. What comes
// between two steps, from a program that one of them left behind, is dropped.
func (s *stream) deliver(p []byte, end bool) int {
	s.mu.Lock()
	to := s.now
	if end {
		s.now = nil
	}
	s.mu.Unlock()
	if to == nil {
		return len(p)
	}
	passed := 0
	if len(p) > 0 {
		passed = to.write(p, end)
	}
	if end {
		to.close()
	}
	return passed
}

// overlap is how many bytes at the end of data may begin the marker.
func overlap(data, marker []byte) int {
	for n := min(len(marker)-1, len(data)); n > 0; n-- {
		if bytes.HasPrefix(marker, data[len(data)-n:]) {
			return n
		}
	}
	return 0
}

package execute

import (
	"bytes"
	"io"
	"sync"
)

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

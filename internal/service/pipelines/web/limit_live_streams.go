package web

import (
	"sync"

	"stoa.dev/stoa/internal/platform/limit"
)

// streams counts the streams of the process.
type streams struct {
	mu         sync.Mutex
	total      int
	perAddress map[string]int
}

// open admits a stream to an address; the caller calls end when it is over.
func (s *streams) open(address string) (end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.perAddress[address] >= maxStreamsPerAddress:
		return nil, tooManyStreams(maxStreamsPerAddress)
	case s.total >= maxStreams:
		return nil, tooManyStreams(maxStreams)
	}
	s.total++
	s.perAddress[address]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.total--
		if s.perAddress[address]--; s.perAddress[address] == 0 {
			delete(s.perAddress, address)
		}
	}, nil
}

func tooManyStreams(n int64) error {
	return &limit.Exceeded{
		Decision: limit.Decision{Name: "pipelines.streams", Limit: n, Used: n, RetryAfter: streamRetryAfter},
	}
}

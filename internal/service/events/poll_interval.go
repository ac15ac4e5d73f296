package events

import (
	"sync/atomic"
	"time"
)

// rateMeter counts feed requests in spans of ten seconds.
type rateMeter struct {
	span, count, before atomic.Int64
}

const spanSeconds = 10

// add counts one request and returns how many a second came in the span before.
// Spans change without a lock: a request that is counted in the wrong one changes
// a rate that need not be exact.
func (m *rateMeter) add(now time.Time) int64 {
	span := now.Unix() / spanSeconds
	if last := m.span.Load(); last != span && m.span.CompareAndSwap(last, span) {
		counted := m.count.Swap(0)
		if span != last+1 {
			counted = 0
		}
		m.before.Store(counted)
	}
	m.count.Add(1)
	return m.before.Load() / spanSeconds
}

// maxPollFactor is how many times the configured interval clients may have to wait.
const maxPollFactor = 10

// pollInterval is how long clients shall wait between polls, in seconds.
func (s *Service) pollInterval(now time.Time) int64 {
	rate := s.feedRate.add(now)
	factor := min(max(1, (rate+s.config.EasyRate-1)/s.config.EasyRate), maxPollFactor)
	return int64(s.config.PollInterval/time.Second) * factor
}

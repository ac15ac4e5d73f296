package events

import (
	"sync/atomic"
	"time"
)

// loadMeter counts feed requests in spans of ten seconds.
type loadMeter struct {
	span, count, before atomic.Int64
}

const spanSeconds = 10

// note counts one request and returns how many a second came in the span
// before. Spans change without a lock: a request counted in the wrong one
// changes a rate nobody needs exactly.
func (m *loadMeter) note(now time.Time) int64 {
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

// maxGrowth is how far the poll interval may grow.
const maxGrowth = 10

// pollInterval is how long clients shall wait, in seconds.
func (s *Service) pollInterval(now time.Time) int64 {
	rate := s.load10.note(now)
	factor := min(max(1, (rate+s.config.EasyRate-1)/s.config.EasyRate), maxGrowth)
	return int64(s.config.PollInterval/time.Second) * factor
}

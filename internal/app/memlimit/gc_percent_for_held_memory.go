package memlimit

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// leastHeld is from where on held memory counts: less than that is lost among the rest.
	leastHeld = 8 << 20
	// leastPercent bounds how often the collector runs, however much is held.
	leastPercent = 10
	// percentStep is how far the percentage is off before it is changed, which stops the process for a moment.
	percentStep = 5
)

// Held keeps garbage in proportion to what works. The collector lets as much of it be as memory is in use, so that
// requests which only wait for their clients would take twice their size. An operator's own GOGC stays.
type Held struct {
	mu  sync.Mutex
	set int // what it was changed to; 0 before
}

// Note tells how many bytes are held in that way.
func (h *Held) Note(bytes int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := defaultPercent
	if h.set != 0 {
		now = h.set
	}
	want := percentBeside(bytes, collectedHeap())
	if off := want - now; off > -percentStep && off < percentStep {
		return
	}
	if before := debug.SetGCPercent(want); before != now { // an operator's
		debug.SetGCPercent(before)
		return
	}
	h.set = want
}

// percentBeside is how much garbage may be beside memory in use of which a part is held, in percent of all of it.
func percentBeside(held, inUse int64) int {
	if held < leastHeld || inUse <= 0 {
		return defaultPercent
	}
	return int(max(leastPercent, defaultPercent*(inUse-held)/inUse))
}

// collectedHeap is what the last collection found in use, stacks included.
func collectedHeap() int64 {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}}
	metrics.Read(samples)
	var sum int64
	for _, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			sum += int64(s.Value.Uint64())
		}
	}
	return sum
}

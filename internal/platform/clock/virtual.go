package clock

import (
	"container/heap"
	"sync"
	"time"
)

// Virtual is a clock that stands still until Advance or Set moves it.
// It is safe for concurrent use.
type Virtual struct {
	mu     sync.Mutex
	now    time.Time
	timers timerHeap
	seq    uint64
}

// NewVirtual returns a clock frozen at start.
func NewVirtual(start time.Time) *Virtual {
	return &Virtual{now: start.UTC().Round(0)}
}

// Now is the frozen time.
func (v *Virtual) Now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// NewTimer fires when the clock has been moved by at least d.
func (v *Virtual) NewTimer(d time.Duration) *Timer {
	v.mu.Lock()
	defer v.mu.Unlock()

	c := make(chan time.Time, 1)
	if d <= 0 {
		c <- v.now
		return &Timer{C: c, stop: func() bool { return false }}
	}
	v.seq++
	w := &waiter{due: v.now.Add(d), seq: v.seq, c: c}
	heap.Push(&v.timers, w)
	return &Timer{C: c, stop: func() bool { return v.remove(w) }}
}

// Advance moves the clock forward and fires, in due order, every timer that
// became due; each receives its own due time.
func (v *Virtual) Advance(d time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.moveTo(v.now.Add(d))
}

// Set moves the clock to t. Moving back fires nothing: timers keep their due
// time, as they would when an operator corrects a wall clock.
func (v *Virtual) Set(t time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.moveTo(t.UTC().Round(0))
}

// NextDue is the due time of the earliest waiting timer.
func (v *Virtual) NextDue() (time.Time, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.timers) == 0 {
		return time.Time{}, false
	}
	return v.timers[0].due, true
}

func (v *Virtual) moveTo(t time.Time) {
	for len(v.timers) > 0 && !v.timers[0].due.After(t) {
		w := heap.Pop(&v.timers).(*waiter)
		v.now = w.due
		w.c <- w.due
	}
	v.now = t
}

func (v *Virtual) remove(w *waiter) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if w.index < 0 {
		return false
	}
	heap.Remove(&v.timers, w.index)
	return true
}

// waiter is one pending timer; index is -1 once it left the heap.
type waiter struct {
	due   time.Time
	seq   uint64
	c     chan time.Time
	index int
}

// timerHeap orders by due time, then by creation, so firing is deterministic.
type timerHeap []*waiter

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if h[i].due.Equal(h[j].due) {
		return h[i].seq < h[j].seq
	}
	return h[i].due.Before(h[j].due)
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(x any) {
	w := x.(*waiter)
	w.index = len(*h)
	*h = append(*h, w)
}

func (h *timerHeap) Pop() any {
	old := *h
	w := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	w.index = -1
	return w
}

package clock

import (
	"container/heap"
	"sync"
	"time"
)

// Mode is how a Virtual clock moves by itself.
type Mode string

// The modes.
const (
	ModeReal    Mode = "real"    // with the machine's clock
	ModeFrozen  Mode = "frozen"  // not at all
	ModeRunning Mode = "running" // at a rate, from a time of its own
)

// Virtual is a clock that stands still until Advance or Set moves it, or runs at
// a rate up to Last. It is safe for concurrent use.
type Virtual struct {
	mu     sync.Mutex
	mode   Mode
	rate   float64 // seconds of this clock a second of the machine's, when running
	now    time.Time
	since  time.Time // the machine's time at which now was right, when running
	timers timerHeap
	seq    uint64
	wake   *time.Timer // fires when the first timer is due, unless frozen
}

// NewVirtual returns a clock frozen at start.
func NewVirtual(start time.Time) *Virtual {
	return &Virtual{mode: ModeFrozen, now: start.UTC().Round(0)}
}

// Now is the time of this clock.
func (v *Virtual) Now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.current()
}

// current is Now for a holder of the lock.
func (v *Virtual) current() time.Time {
	switch v.mode {
	case ModeReal:
		return time.Now().UTC()
	case ModeRunning:
		return After(v.now, time.Since(v.since), v.rate)
	default:
		return v.now
	}
}

// Mode is how the clock moves, and its rate: 1 when it is real, 0 when frozen.
func (v *Virtual) Mode() (Mode, float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch v.mode {
	case ModeReal:
		return v.mode, 1
	case ModeRunning:
		return v.mode, v.rate
	default:
		return v.mode, 0
	}
}

// Freeze stops the clock where it stands.
func (v *Virtual) Freeze() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now, v.mode = v.current().Round(0), ModeFrozen
	v.arm()
}

// Run lets the clock go on from where it stands, rate seconds a second.
func (v *Virtual) Run(rate float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now, v.since, v.mode, v.rate = v.current().Round(0), time.Now(), ModeRunning, rate
	v.arm()
}

// RunReal makes the clock the machine's.
func (v *Virtual) RunReal() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.mode = ModeReal
	v.fire(v.current())
	v.arm()
}

// NewTimer fires when the clock has been moved by at least d.
func (v *Virtual) NewTimer(d time.Duration) *Timer {
	v.mu.Lock()
	defer v.mu.Unlock()

	c := make(chan time.Time, 1)
	now := v.current()
	if d <= 0 {
		c <- now
		return &Timer{C: c, stop: func() bool { return false }}
	}
	v.seq++
	w := &waiter{due: now.Add(d), seq: v.seq, c: c}
	heap.Push(&v.timers, w)
	if w.index == 0 {
		v.arm()
	}
	return &Timer{C: c, stop: func() bool { return v.remove(w) }}
}

// Advance moves the clock forward and fires, in due order, every timer that
// became due; each receives its own due time.
func (v *Virtual) Advance(d time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.moveTo(v.current().Add(d))
}

// Set moves the clock to t; one that was real runs on from there at rate 1.
// Moving back fires nothing: timers keep their due time, as they would when an
// operator corrects a wall clock.
func (v *Virtual) Set(t time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.moveTo(t)
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
	if v.mode == ModeReal {
		v.mode, v.rate = ModeRunning, 1
	}
	v.fire(t)
	v.now, v.since = t.UTC().Round(0), time.Now()
	v.arm()
}

// fire wakes what is due at t.
func (v *Virtual) fire(t time.Time) {
	for len(v.timers) > 0 && !v.timers[0].due.After(t) {
		w := heap.Pop(&v.timers).(*waiter)
		if v.mode == ModeFrozen {
			v.now = w.due
		}
		w.c <- w.due
	}
}

// minWake keeps a fast clock with many timers from waking all the time.
const minWake = 200 * time.Microsecond

// arm sets the machine's timer to the first of ours, where time goes by.
func (v *Virtual) arm() {
	if v.wake != nil {
		v.wake.Stop()
	}
	if v.mode == ModeFrozen || len(v.timers) == 0 {
		return
	}
	left := max(v.until(v.timers[0].due), minWake)
	if v.wake == nil {
		v.wake = time.AfterFunc(left, v.woken)
		return
	}
	v.wake.Reset(left)
}

func (v *Virtual) woken() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mode == ModeFrozen {
		return // it was frozen while this was on its way
	}
	v.fire(v.current())
	v.arm()
}

func (v *Virtual) remove(w *waiter) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if w.index < 0 {
		return false
	}
	heap.Remove(&v.timers, w.index)
	if len(v.timers) == 0 {
		v.arm()
	}
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

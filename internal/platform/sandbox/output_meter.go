package sandbox

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// meter counts what a run says, on both of its streams together.
type meter struct {
	clock clock.Clock
	limit int64
	total atomic.Int64
	// last is when something was said, in nanoseconds of the clock.
	last atomic.Int64
	// busy counts writers that wait for the reader outside: a run that is held
	// back is not silent.
	busy atomic.Int32

	once   sync.Once
	over   chan struct{} // closed when the limit is passed
	broken chan error    // the first writer outside that failed
}

func newMeter(c clock.Clock, limit int64) *meter {
	m := &meter{clock: c, limit: limit, over: make(chan struct{}), broken: make(chan error, 1)}
	m.last.Store(c.Now().UnixNano())
	return m
}

// idle is how long nothing was said.
func (m *meter) idle() time.Duration {
	if m.busy.Load() > 0 {
		return 0
	}
	return time.Duration(m.clock.Now().UnixNano() - m.last.Load())
}

// tap passes one stream on.
type tap struct {
	*meter
	to io.Writer
	// head keeps the first words for the case that they are bubblewrap's own.
	head []byte
}

const headSize = 2 << 10

// Write implements io.Writer. It never fails: a program whose reader is gone
// or which has said too much is killed, and until then its pipe is drained.
func (t *tap) Write(p []byte) (int, error) {
	t.busy.Add(1)
	defer func() {
		t.last.Store(t.clock.Now().UnixNano())
		t.busy.Add(-1)
	}()
	if left := headSize - len(t.head); left > 0 {
		t.head = append(t.head, p[:min(left, len(p))]...)
	}
	said := t.total.Add(int64(len(p)))
	pass := p
	if said > t.limit {
		t.once.Do(func() { close(t.over) })
		pass = p[:max(0, int64(len(p))-(said-t.limit))]
	}
	if len(pass) > 0 && t.to != nil {
		if _, err := t.to.Write(pass); err != nil {
			t.to = nil
			select {
			case t.broken <- err:
			default:
			}
		}
	}
	return len(p), nil
}

// sameWriter compares without panicking on writers that cannot be compared.
func sameWriter(a, b io.Writer) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return a != nil && a == b
}

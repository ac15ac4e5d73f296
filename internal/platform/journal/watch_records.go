package journal

import (
	"slices"
	"sync/atomic"
)

// watchBuffer is how many records a watcher may be behind.
const watchBuffer = 1024

// Watcher receives records as they are added.
type Watcher struct {
	journal *Journal
	records chan *Record
	missed  atomic.Int64
}

// Watch begins to receive. Stop must be called.
func (j *Journal) Watch() *Watcher {
	w := &Watcher{journal: j, records: make(chan *Record, watchBuffer)}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		close(w.records)
		return w
	}
	j.watchers = append(j.watchers, w)
	j.watched.Store(true)
	return w
}

// tell never waits: a watcher that is too slow misses records.
func (w *Watcher) tell(r *Record) {
	select {
	case w.records <- r:
	default:
		w.missed.Add(1)
	}
}

// Records is closed when the journal is.
func (w *Watcher) Records() <-chan *Record { return w.records }

// Missed is how many records came too fast since it was asked last.
func (w *Watcher) Missed() int64 { return w.missed.Swap(0) }

// Stop ends receiving.
func (w *Watcher) Stop() {
	j := w.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.watchers = slices.DeleteFunc(j.watchers, func(o *Watcher) bool { return o == w })
	j.watched.Store(len(j.watchers) > 0)
}

package jobs

import (
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/jobs/store"
)

// Ran is one attempt of a job, for who watches.
type Ran struct {
	// At is the queue's time when it ended.
	At      time.Time
	Kind    string
	ID      string
	Outcome string // done, retry, postponed or dead
	// Detail is the error of one that failed.
	Detail string
}

// watcher is one function that is told of attempts.
type watcher struct{ tell func(Ran) }

// Watch calls tell after every attempt until the returned function is called.
// It is for tests and labs: tell delays the queue.
func (q *Queue) Watch(tell func(Ran)) (stop func()) {
	w := &watcher{tell}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.watchers = append(slices.Clone(q.watchers), w)
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.watchers = slices.DeleteFunc(slices.Clone(q.watchers), func(other *watcher) bool { return other == w })
	}
}

// watched tells the watchers what became of an attempt.
func (q *Queue) watched(o store.Outcome) store.Outcome {
	q.mu.Lock()
	watchers := q.watchers
	q.mu.Unlock()
	if len(watchers) == 0 {
		return o
	}
	word := ""
	switch o.Verdict {
	case store.VerdictDone:
		word = "done"
	case store.VerdictRetry:
		word = "retry"
	case store.VerdictPostponed:
		word = "postponed"
	case store.VerdictDead, store.VerdictPoison:
		word = "dead"
	case store.VerdictReleased:
		return o // it did not run, or will again
	}
	for _, w := range watchers {
		w.tell(Ran{At: q.clock.Now(), Kind: o.Kind, ID: o.ID, Outcome: word, Detail: o.Message})
	}
	return o
}

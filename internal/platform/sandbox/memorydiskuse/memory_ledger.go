package memorydiskuse

import "sync"

// Ledger adds up the memory of all runs: each is within its own limit, and
// together they could still be more than the machine has.
type Ledger struct {
	limit int64 // zero is no bound

	mu   sync.Mutex
	used map[any]int64
}

// NewLedger bounds the sum; zero is three quarters of what the machine has.
func NewLedger(limit int64) *Ledger {
	if limit == 0 {
		limit = machineMemory() / 4 * 3
	}
	return &Ledger{limit: limit, used: map[any]int64{}}
}

// Note keeps what a run uses now and reports whether it has to end: all together
// use too much, and none uses more than this one.
func (l *Ledger) Note(run any, used int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used[run] = used
	total := int64(0)
	for _, n := range l.used {
		if n > used {
			return false // that run hears of it
		}
		total += n
	}
	return l.limit > 0 && total > l.limit
}

// Forget ends the account of a run.
func (l *Ledger) Forget(run any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.used, run)
}

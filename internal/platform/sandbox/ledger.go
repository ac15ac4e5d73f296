package sandbox

import "sync"

// ledger adds up the memory of all runs: each is within its own limit, and
// together they could still be more than the machine has.
type ledger struct {
	limit int64 // zero is no bound

	mu   sync.Mutex
	used map[any]int64
}

func newLedger(limit int64) *ledger {
	if limit == 0 {
		limit = machineMemory() / 4 * 3
	}
	return &ledger{limit: limit, used: map[any]int64{}}
}

// note keeps what a run uses now and reports whether it has to end: all together
// use too much, and none uses more than this one.
func (l *ledger) note(run any, used int64) bool {
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

// forget ends the account of a run.
func (l *ledger) forget(run any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.used, run)
}

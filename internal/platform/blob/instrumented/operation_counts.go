package instrumented

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Operation names what a store was asked for; all calls of an upload count as one.
type Operation string

// The operations.
const (
	Put    Operation = "put"
	Open   Operation = "open"
	Stat   Operation = "stat"
	Delete Operation = "delete"
	List   Operation = "list"
	Sweep  Operation = "sweep"
	Upload Operation = "upload"
)

// Outcome says how an operation ended.
type Outcome string

// The outcomes. Away is a store that did not answer or could not write.
const (
	Done    Outcome = "done"
	Missing Outcome = "not_found"
	Away    Outcome = "unavailable"
	Failed  Outcome = "failed"
)

// Count is how often one operation ended in one way, and how long that took in all.
type Count struct {
	Operation Operation
	Outcome   Outcome
	N         int64
	Took      time.Duration
}

type countKey struct {
	op      Operation
	outcome Outcome
}

// Counts is safe for concurrent use.
type Counts struct {
	mu  sync.Mutex
	all map[countKey]*Count
}

func newCounts() *Counts { return &Counts{all: map[countKey]*Count{}} }

func (c *Counts) add(op Operation, outcome Outcome, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.all[countKey{op, outcome}]
	if n == nil {
		n = &Count{Operation: op, Outcome: outcome}
		c.all[countKey{op, outcome}] = n
	}
	n.N++
	n.Took += took
}

// All is every count so far, in a fixed order.
func (c *Counts) All() []Count {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]Count, 0, len(c.all))
	for _, n := range c.all {
		list = append(list, *n)
	}
	slices.SortFunc(list, func(a, b Count) int {
		return strings.Compare(string(a.Operation)+string(a.Outcome), string(b.Operation)+string(b.Outcome))
	})
	return list
}

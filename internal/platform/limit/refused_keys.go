package limit

import (
	"sync"

	"stoa.dev/stoa/internal/platform/memo"
)

// refusedKeys remembers keys that were just refused. A client that goes on
// asking is then answered by reading the row: refusals cost no write and no lock.
// It is a hint only; the row decides.
type refusedKeys struct {
	mu   sync.Mutex
	keys memo.Map[id, span]
}

// span is from the refusal to the end of its window. Before it, after a clock
// jumped back, the row has to be written to end the window in time.
type span struct{ from, ends int64 }

// maxRefused bounds the memory. Beyond it all is forgotten, which costs each
// such client one write.
const maxRefused = 1 << 14

func (r *refusedKeys) has(k id, now int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.keys.Get(k)
	return ok && now >= s.from && now < s.ends
}

func (r *refusedKeys) note(k id, now int64, d Decision) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d.Allowed {
		r.keys.Delete(k)
		return
	}
	if r.keys.Len() >= maxRefused {
		r.keys.Clear()
	}
	r.keys.Set(k, span{now, d.mark})
}

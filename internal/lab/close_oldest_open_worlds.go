package lab

import (
	"slices"
	"time"
)

// closeOldest closes worlds that were not asked for the longest time while too many are open or being opened; those
// whose socket is called only where all are.
func (l *Lab) closeOldest(waking *World) {
	open, idle := l.openBeside(waking)
	for _, w := range idle {
		if open < l.options.MaxAwake {
			return
		}
		if l.closeIdle(w) {
			open--
		}
	}
}

// openBeside counts the worlds that are open or being opened besides one, and gives those that are not asked now, in
// the order in which they are closed.
func (l *Lab) openBeside(waking *World) (open int, idle []*World) {
	type use struct {
		called bool
		at     time.Time
	}
	uses := map[*World]use{}
	for _, w := range l.Worlds() {
		w.mu.Lock()
		awake, opening, asked, last := w.app != nil, w.opening, w.inFlight > 0, use{w.called, w.used}
		w.mu.Unlock()
		if w == waking || !awake && !opening {
			continue
		}
		if open++; awake && !asked {
			idle, uses[w] = append(idle, w), last
		}
	}
	slices.SortStableFunc(idle, func(a, b *World) int {
		switch one, other := uses[a], uses[b]; {
		case one.called == other.called:
			return one.at.Compare(other.at)
		case one.called:
			return 1
		}
		return -1
	})
	return open, idle
}

// closeIdle closes a world unless it is busy with a change of its own.
func (l *Lab) closeIdle(w *World) bool {
	if !w.op.TryLock() {
		return false
	}
	defer w.op.Unlock()
	if err := w.drainAndRun(w.sleep); err != nil {
		l.options.Log.Error("world failed", "world", w.Name(), "error", err.Error())
	}
	return true
}

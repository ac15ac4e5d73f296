package memlimit

import (
	"runtime"
	"runtime/debug"
	"sync"
)

const (
	// defaultPercent is how much the heap grows between two collections unless GOGC says
	// otherwise.
	defaultPercent = 100
	// startPercent lets the heap grow to 32 MB, eight times the runtime's least, before
	// the first collection.
	startPercent = 800
)

// Starting spares a start its collections: what it allocates fits into less than it needs
// anyway to hash the first password. The heap grows as ever once started is called, and
// from the first collection on: a start that reads much stays small. An operator's own GOGC
// stays.
func Starting() (started func()) {
	switch before := debug.SetGCPercent(startPercent); before {
	case startPercent: // another program of this process starts too
	case defaultPercent:
		started = sync.OnceFunc(func() { debug.SetGCPercent(before) })
		// The first collection finds that nothing refers to this.
		runtime.AddCleanup(new([64]byte), func(end func()) { end() }, started)
		return started
	default:
		debug.SetGCPercent(before)
	}
	return func() {}
}

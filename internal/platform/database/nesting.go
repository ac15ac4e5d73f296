package database

import (
	"runtime"
)

// nestingMark recognises a Write called from inside the function of another
// one. On SQLite such a call would wait for the goroutine it runs in. The
// function of a Write receives no context that could carry a mark, so the mark
// is on the stack: every such function is called from callFn, and the return
// address into callFn is the same each time.
type nestingMark uintptr

// callFn is the only caller of transaction functions. It must keep a frame of
// its own.
//
//go:noinline
func callFn(fn func(*Tx) error, tx *Tx) error {
	err := fn(tx)
	return err
}

// newNestingMark asks for callFn's return address from inside a call.
func newNestingMark() nestingMark {
	var pc [1]uintptr
	// The probe cannot fail; its error exists for the signature only.
	_ = callFn(func(*Tx) error {
		// Skipped: Callers itself and the probe.
		runtime.Callers(2, pc[:])
		return nil
	}, nil)
	return nestingMark(pc[0])
}

// onStack reports whether the calling goroutine is inside a transaction
// function, of this or of another DB.
func (m nestingMark) onStack() bool {
	var few [64]uintptr
	pcs := few[:]
	n := runtime.Callers(3, pcs)
	for n == len(pcs) {
		pcs = make([]uintptr, 4*len(pcs))
		n = runtime.Callers(3, pcs)
	}
	for _, pc := range pcs[:n] {
		if pc == uintptr(m) {
			return true
		}
	}
	return false
}

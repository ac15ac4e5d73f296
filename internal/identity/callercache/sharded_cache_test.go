package callercache

import (
	"encoding/binary"
	"runtime"
	"testing"
)

// TestTurnoverTakesNoMore: the cache of callers takes as much after all its entries have changed a hundred times as
// when it was first full.
func TestTurnoverTakesNoMore(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const entries = 1 << 14
	before, e := heap(), new(int)
	c := New[int](entries)
	next := uint64(0)
	put := func(n uint64) uint64 {
		for end := next + n; next < end; next++ {
			var hash digest
			binary.LittleEndian.PutUint64(hash[:], next)
			c.Put(hash, e, c.Generation())
		}
		return heap() - before
	}
	full := put(entries)
	if turned := put(100 * entries); turned > full*5/4 {
		t.Errorf("%d bytes after a hundred turns, %d when it was full", turned, full)
	}
	runtime.KeepAlive(c)
}

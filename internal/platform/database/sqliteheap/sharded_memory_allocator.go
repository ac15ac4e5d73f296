package sqliteheap

import (
	"errors"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/memory"
	lib "modernc.org/sqlite/lib"
)

// heapCount is more than processors that work at once, so that two connections rarely share a heap.
const heapCount = 32

// block stands before every piece of memory; its size keeps what follows aligned.
type block struct {
	heap int64
	size int64
}

const blockSize = int(unsafe.Sizeof(block{}))

// heap is memory with a lock.
type heap struct {
	mu     sync.Mutex
	memory memory.Allocator
}

// heaps belong to the process, as the engine's choice of an allocator does.
var heaps [heapCount]heap //nolint:gochecknoglobals // see above

// installed reports whether the engine takes its memory from here.
var installed = sync.OnceValue(install)

// Install has the engine take its memory from here. Where it is called after the engine was used,
// the engine keeps its own allocator, which is only slower, and Install reports false.
func Install() bool { return installed() }

func install() bool {
	tls := libc.NewTLS()
	defer tls.Close()
	// The engine copies the list of functions.
	methods := lib.Tsqlite3_mem_methods{
		FxMalloc: function(allocate), FxFree: function(release), FxRealloc: function(resize), FxSize: function(sizeOf),
		FxRoundup: function(roundUp), FxInit: function(start), FxShutdown: function(stop),
	}
	list := libc.Xcalloc(tls, 2, 8)
	if list == 0 {
		return false
	}
	defer libc.Xfree(tls, list)
	rc := lib.Xsqlite3_config(tls, lib.SQLITE_CONFIG_MALLOC, libc.VaList(list, uintptr(unsafe.Pointer(&methods))))
	return rc == lib.SQLITE_OK
}

// function is how the engine calls a function of this package, which is no closure and never moves.
func function(f any) uintptr {
	type words [2]uintptr
	return (*words)(unsafe.Pointer(&f))[1]
}

// at is the block at an address of the engine's memory, which no collector moves or frees.
func at(address uintptr) *block { return *(**block)(unsafe.Pointer(&address)) }

func allocate(tls *libc.TLS, n int32) uintptr {
	index := int64(uint32(tls.ID) % heapCount)
	h := &heaps[index]
	h.mu.Lock()
	p, err := h.memory.UintptrMalloc(int(n) + blockSize)
	h.mu.Unlock()
	if err != nil || p == 0 {
		return 0 // the engine says that there is no memory
	}
	*at(p) = block{heap: index, size: int64(n)}
	return p + uintptr(blockSize)
}

func release(_ *libc.TLS, p uintptr) {
	p -= uintptr(blockSize)
	h := &heaps[at(p).heap]
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.memory.UintptrFree(p); err != nil {
		panic(err) // the engine freed what it does not have: its memory cannot be trusted any more
	}
}

func resize(_ *libc.TLS, p uintptr, n int32) uintptr {
	p -= uintptr(blockSize)
	h := &heaps[at(p).heap]
	h.mu.Lock()
	p, err := h.memory.UintptrRealloc(p, int(n)+blockSize)
	h.mu.Unlock()
	if err != nil || p == 0 {
		return 0 // as above; what was there stays
	}
	at(p).size = int64(n)
	return p + uintptr(blockSize)
}

// Trim gives back to the system what connections took and freed, which the heaps keep for the next ones.
func Trim() error {
	var failed []error
	for i := range heaps {
		h := &heaps[i]
		h.mu.Lock()
		failed = append(failed, h.memory.Trim())
		h.mu.Unlock()
	}
	return errors.Join(failed...)
}

func sizeOf(_ *libc.TLS, p uintptr) int32 { return int32(at(p - uintptr(blockSize)).size) }

func roundUp(_ *libc.TLS, n int32) int32 { return (n + 7) &^ 7 }

func start(*libc.TLS, uintptr) int32 { return lib.SQLITE_OK }

func stop(*libc.TLS, uintptr) {}

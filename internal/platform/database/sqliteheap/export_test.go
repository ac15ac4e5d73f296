package sqliteheap

import (
	"unsafe"

	"modernc.org/libc"
)

// Thread calls the allocator as a connection of the engine does.
type Thread struct{ tls *libc.TLS }

// Piece is memory that a thread took, of which the first bytes were written.
type Piece struct {
	address      uintptr
	size, filled int
}

func NewThread() Thread { return Thread{libc.NewTLS()} }

func (t Thread) Close() { t.tls.Close() }

func (t Thread) Allocate(n int) Piece { return Piece{address: allocate(t.tls, int32(n)), size: n} }

func (t Thread) Resize(p Piece, n int) Piece {
	return Piece{address: resize(t.tls, p.address, int32(n)), size: n, filled: min(p.filled, n)}
}

func (t Thread) Free(p Piece) { release(t.tls, p.address) }

func (t Thread) Size(p Piece) int { return int(sizeOf(t.tls, p.address)) }

func (p Piece) Size() int { return p.size }

// Kept are the bytes that were written and must still be there.
func (p *Piece) Kept() []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p.address)), p.filled)
}

// Fill writes all of it.
func (p *Piece) Fill(with byte) {
	p.filled = p.size
	for i := range p.Kept() {
		p.Kept()[i] = with
	}
}

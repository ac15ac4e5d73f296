package arrival

import (
	"context"
	"io"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/wire"
)

const (
	// Light is what every request may send without being weighed.
	Light = 4 << 10
	// weight is how many bytes of memory one byte of a body stands for: the
	// buffer it is read into, what is decoded from it, and the garbage of both.
	weight = 4
	// firstStep is how much of a body is paid for before it comes. What follows is paid
	// in steps that double, so that twice as much is held as has come.
	firstStep = 64 << 10
	// allocated is the largest body whose readers allocate all of it before it comes.
	allocated = 1 << 20
)

// Body is a body whose reader has a grant of the process's memory. Readers that
// decode it grow the grant by what they are about to make (wire.Weigher).
type Body struct {
	io.ReadCloser
	grant   *budget.Grant
	length  int64 // below 0 when it is not known
	paid    int64 // bytes of the body that the grant covers
	taken   int64 // what the grant holds for them
	read    int64
	refused error
}

// Weigh takes memory for the beginning of a body of as many bytes, waiting for
// others. A body that can never fit is refused at once.
func Weigh(
	ctx context.Context, pool *budget.Pool, owner budget.Owner, body io.ReadCloser, length int64,
) (*Body, error) {
	b := &Body{ReadCloser: body, length: length, paid: Light}
	if length > Light {
		if most := pool.Max(owner); length > most/weight {
			return nil, &wire.SizeError{Limit: most}
		}
		b.paid = min(length, firstStep)
		b.taken = weight * b.paid
		if length <= allocated {
			b.taken = max(b.taken, length)
		}
	}
	var err error
	b.grant, err = pool.Take(ctx, owner, b.taken)
	return b, err
}

// Read grows the grant by what comes.
func (b *Body) Read(p []byte) (int, error) {
	if b.refused != nil {
		return 0, b.refused
	}
	n, err := b.ReadCloser.Read(p)
	if b.read += int64(n); b.read > b.paid {
		if b.refused = b.pay(); b.refused != nil {
			return n, b.refused
		}
	}
	return n, err
}

// pay takes memory for what was read, and for the next step where more is announced.
func (b *Body) pay() error {
	paid := max(b.read, min(2*b.paid, b.length))
	if err := b.grant.Grow(weight*paid - b.taken); err != nil {
		return err
	}
	b.paid, b.taken = paid, max(b.taken, weight*paid)
	return nil
}

// Weigh takes n more bytes for what is decoded from the body.
func (b *Body) Weigh(n int64) error { return b.grant.Grow(n) }

// Refused is why the rest of the body was not read, nil when memory was not the reason.
func (b *Body) Refused() error {
	if b == nil {
		return nil
	}
	return b.refused
}

// Release gives the memory back.
func (b *Body) Release() {
	if b != nil {
		b.grant.Release()
	}
}

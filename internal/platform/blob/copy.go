package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"io"
)

// contextReader ends a copy when its context ends: a client that went away must not hold a file.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// sourceError marks a failure of the bytes' source, which keeps what came before, against a failure of the store.
type sourceError struct{ err error }

func (e *sourceError) Error() string { return e.err.Error() }
func (e *sourceError) Unwrap() error { return e.err }

// taggedReader turns every failure of r into a sourceError.
type taggedReader struct{ r io.Reader }

func (t taggedReader) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &sourceError{err}
	}
	return n, err
}

// copyLimited copies r to w and reads one byte beyond max to know that there is more. A max of 0 is no limit.
func copyLimited(ctx context.Context, w io.Writer, r io.Reader, max int64) (int64, error) {
	var in io.Reader = taggedReader{contextReader{ctx, r}}
	if max > 0 {
		in = io.LimitReader(in, max+1)
	}
	n, err := io.Copy(w, in)
	if err == nil && max > 0 && n > max {
		return n, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, max)
	}
	return n, err
}

// digest is a SHA-256 whose state can be written down, so that an upload goes on hashing after a restart.
type digest struct{ hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func resumeDigest(state []byte) (digest, error) {
	d := newDigest()
	if len(state) == 0 {
		return d, nil
	}
	if err := d.Hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		return digest{}, fmt.Errorf("%w: hash state: %w", ErrDamaged, err)
	}
	return d, nil
}

func (d digest) state() ([]byte, error) {
	state, err := d.Hash.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("blob: hash state: %w", err)
	}
	return state, nil
}

func (d digest) sum() (sum [32]byte) {
	d.Sum(sum[:0])
	return sum
}

// checkSum compares with what the caller expected, if anything.
func checkSum(got [32]byte, want *[32]byte) error {
	if want != nil && !bytes.Equal(got[:], want[:]) {
		return fmt.Errorf("%w: got %x, want %x", ErrHash, got, *want)
	}
	return nil
}

package format

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"fmt"
	"hash"

	"stoa.dev/stoa/internal/platform/blob"
)

// Digest is a SHA-256 whose state can be written down, so that an upload goes on hashing after a restart.
type Digest struct{ hash.Hash }

// NewDigest is the hash of nothing yet.
func NewDigest() Digest { return Digest{sha256.New()} }

// ResumeDigest goes on from a State.
func ResumeDigest(state []byte) (Digest, error) {
	d := NewDigest()
	if len(state) == 0 {
		return d, nil
	}
	if err := d.Hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		return Digest{}, fmt.Errorf("%w: hash state: %w", blob.ErrDamaged, err)
	}
	return d, nil
}

// State is for ResumeDigest.
func (d Digest) State() ([]byte, error) {
	state, err := d.Hash.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("blob: hash state: %w", err)
	}
	return state, nil
}

// Result is the hash of what was written so far.
func (d Digest) Result() (sum [32]byte) {
	d.Sum(sum[:0])
	return sum
}

// CheckSum compares with what the caller expected, if anything.
func CheckSum(got [32]byte, want *[32]byte) error {
	if want != nil && !bytes.Equal(got[:], want[:]) {
		return fmt.Errorf("%w: got %x, want %x", blob.ErrHash, got, *want)
	}
	return nil
}

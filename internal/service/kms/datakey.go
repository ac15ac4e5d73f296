package kms

import (
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/service/kms/envelope"
)

// annotation carries the wrapped data key beside every ciphertext.
const annotation = "wrapped-key.kms.stoa.dev"

// Sizes. What we answer stays below the smaller reading of the contract's
// kilobytes (1000), what we accept goes up to the larger one (1024).
const (
	maxPlaintext     = maxCiphertextOut - envelope.Overhead
	maxCiphertextOut = 999
	maxKeyIDOut      = 999
	maxAnnotationOut = 31_999

	maxCiphertextIn  = 1024
	maxKeyIDIn       = 1024
	maxAnnotationsIn = 32_768
	maxUID           = 1024
)

// dataKey is a local key: it encrypts what callers send and travels, wrapped
// by the remote key, in the annotations.
type dataKey struct {
	keyID   string
	wrapped []byte
	key     *envelope.Key
	// binding ties a message to the key id and the annotation: a message that
	// is moved under another does not open.
	binding []byte
	// annotations is the map of every answer; it is never changed.
	annotations map[string][]byte

	// What follows matters to keys that encrypt; those only met in Decrypt
	// leave it zero.
	bornAt time.Time
	uses   atomic.Int64

	// recent is set when the cache gives the key out, see dataKeys.
	recent atomic.Bool
}

func newDataKey(keyID string, wrapped []byte, key *envelope.Key) *dataKey {
	return &dataKey{
		keyID: keyID, wrapped: wrapped, key: key,
		binding:     messageBinding(keyID, wrapped),
		annotations: map[string][]byte{annotation: wrapped},
	}
}

// messageBinding is the additional data of every message under a data key.
func messageBinding(keyID string, wrapped []byte) []byte {
	h := sha256.New()
	h.Write([]byte("stoa kms message v1\x00" + annotation + "\x00"))
	for _, part := range [][]byte{[]byte(keyID), wrapped} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write(part)
	}
	return h.Sum(nil)
}

// wrapBinding is the additional data of a wrapped data key.
func wrapBinding(keyID string) []byte { return []byte("stoa kms data key v1\x00" + keyID) }

// take counts one use and reports whether it is allowed: exactly uses of them
// are, all of them before the key is life old.
func (d *dataKey) take(now time.Time, uses int64, life time.Duration) bool {
	return now.Sub(d.bornAt) < life && d.uses.Add(1) <= uses
}

// worn tells that it is time to have a successor ready.
func (d *dataKey) worn(now time.Time, uses int64, life time.Duration) bool {
	return d.uses.Load() > uses-uses/4 || now.Sub(d.bornAt) > life-life/4
}

// answer seals a message.
func (d *dataKey) answer(plaintext []byte) (Sealed, error) {
	ciphertext, err := d.key.Seal(plaintext, d.binding)
	if err != nil {
		return Sealed{}, fail(CodeInternal, err, "the message cannot be encrypted")
	}
	if len(ciphertext) > maxCiphertextOut {
		return Sealed{}, fail(CodeInternal, nil, "the ciphertext would have %d bytes", len(ciphertext))
	}
	return Sealed{Ciphertext: ciphertext, KeyID: d.keyID, Annotations: d.annotations}, nil
}

// checkOut refuses answers that would break the contract's limits.
func (d *dataKey) checkOut() error {
	if len(d.keyID) == 0 || len(d.keyID) > maxKeyIDOut {
		return fail(CodeInternal, nil, "the key id has %d bytes", len(d.keyID))
	}
	if n := len(annotation) + len(d.wrapped); len(d.wrapped) == 0 || n > maxAnnotationOut {
		return fail(CodeInternal, nil, "the annotations would have %d bytes", n)
	}
	return nil
}

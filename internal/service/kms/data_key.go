package kms

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/service/kms/envelope"
)

// annotation carries the wrapped data key beside every ciphertext.
const annotation = "wrapped-key.kms.stoa.dev"

// Sizes in bytes. Answers stay below the smaller reading of the contract's kilobytes
// (1000), requests are accepted up to the larger one (1024).
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
	// binding ties a message to the key id and the annotation: with others it does
	// not open.
	binding []byte
	// annotations is the map of every answer; it is never changed.
	annotations map[string][]byte

	// The next two are zero in keys that only decrypt.
	createdAt time.Time
	uses      atomic.Int64

	// recent is set when the cache returns the key.
	recent atomic.Bool
}

func newDataKey(keyID string, wrapped []byte, key *envelope.Key) *dataKey {
	return &dataKey{
		keyID: keyID, wrapped: wrapped, key: key,
		binding:     messageBinding(keyID, wrapped),
		annotations: map[string][]byte{annotation: wrapped},
	}
}

// makeDataKey draws a data key and has it wrapped.
func (s *Service) makeDataKey(ctx context.Context, k *loadedKey) (*dataKey, error) {
	if err := k.checkUsable(); err != nil {
		return nil, err
	}
	secret := make([]byte, envelope.KeySize)
	defer clear(secret)
	_, _ = s.world.IDs.Read(secret) // never fails
	wrapped, err := s.providerOf(k.Provider).Wrap(ctx, k.Version, secret, wrapBinding(k.ID))
	if err != nil {
		return nil, err
	}
	key, err := envelope.NewKey(secret, s.world.IDs)
	if err != nil {
		return nil, err
	}
	d := newDataKey(k.ID, wrapped, key)
	if err := d.checkSizes(); err != nil {
		return nil, err
	}
	d.createdAt = s.world.Clock.Now()
	s.cache.put(d)
	return d, nil
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

// use counts one use and reports whether it is allowed: exactly maxUses of them
// are, all of them before the key is as old as maxAge.
func (d *dataKey) use(now time.Time, maxUses int64, maxAge time.Duration) bool {
	return now.Sub(d.createdAt) < maxAge && d.uses.Add(1) <= maxUses
}

// nearEnd reports whether it is time to prepare a successor.
func (d *dataKey) nearEnd(now time.Time, maxUses int64, maxAge time.Duration) bool {
	return d.uses.Load() > maxUses-maxUses/4 || now.Sub(d.createdAt) > maxAge-maxAge/4
}

// seal encrypts a message.
func (d *dataKey) seal(plaintext []byte) (Sealed, error) {
	ciphertext, err := d.key.Seal(plaintext, d.binding)
	if err != nil {
		return Sealed{}, errInternal("the message cannot be encrypted").because(err)
	}
	if len(ciphertext) > maxCiphertextOut {
		return Sealed{}, errInternal("the ciphertext would have %d bytes", len(ciphertext))
	}
	return Sealed{Ciphertext: ciphertext, KeyID: d.keyID, Annotations: d.annotations}, nil
}

// checkSizes checks the contract's limits of answers.
func (d *dataKey) checkSizes() error {
	if len(d.keyID) == 0 || len(d.keyID) > maxKeyIDOut {
		return errInternal("the key id has %d bytes", len(d.keyID))
	}
	if n := len(annotation) + len(d.wrapped); len(d.wrapped) == 0 || n > maxAnnotationOut {
		return errInternal("the annotations would have %d bytes", n)
	}
	return nil
}

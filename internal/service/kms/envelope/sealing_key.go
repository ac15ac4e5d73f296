package envelope

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
	"sync/atomic"
)

// ErrOpen means that a sealed message was altered, or was sealed under another
// key or with other additional data.
var ErrOpen = errors.New("the message does not open: it was altered, or sealed under another key")

// ErrKeySize means that a key has the wrong length.
var ErrKeySize = fmt.Errorf("a key is %d bytes long", KeySize)

const (
	// form opens every sealed message, so that another cipher can follow.
	form = 1
	// Overhead is how many bytes a sealed message is longer than the plain one.
	Overhead = 1 + nonceSize + tagSize
)

// Key seals and opens messages. It is safe for concurrent use.
type Key struct {
	cipher *xaes
	random io.Reader
	count  atomic.Uint64
	// nonces has keyed hashes, which are costly to key and cheap to reset.
	nonces sync.Pool
}

// NewKey derives a Key from a secret of KeySize bytes. The secret may be
// cleared afterwards. random must never fail.
func NewKey(secret []byte, random io.Reader) (*Key, error) {
	if len(secret) != KeySize {
		return nil, ErrKeySize
	}
	sealing, err := hkdf.Expand(sha256.New, secret, "stoa kms envelope v1 sealing", KeySize)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Expand(sha256.New, secret, "stoa kms envelope v1 nonces", KeySize)
	if err != nil {
		return nil, err
	}
	k := &Key{cipher: newXAES(sealing), random: random}
	k.nonces.New = func() any { return &nonceMaker{mac: hmac.New(sha256.New, nonce)} }
	clear(sealing)
	return k, nil
}

// nonceMaker keeps its buffers off the heap of every call.
type nonceMaker struct {
	mac    hash.Hash
	random [nonceSize]byte
	number [8]byte
	sum    [sha256.Size]byte
}

// nonce fills dst as the package comment describes.
func (k *Key) nonce(dst, plain, data []byte) error {
	m := k.nonces.Get().(*nonceMaker)
	defer k.nonces.Put(m)
	if _, err := io.ReadFull(k.random, m.random[:]); err != nil {
		return fmt.Errorf("randomness: %w", err)
	}
	m.mac.Reset()
	m.mac.Write(m.random[:])
	binary.BigEndian.PutUint64(m.number[:], k.count.Add(1))
	m.mac.Write(m.number[:])
	binary.BigEndian.PutUint64(m.number[:], uint64(len(data)))
	m.mac.Write(m.number[:])
	m.mac.Write(data)
	m.mac.Write(plain)
	copy(dst, m.mac.Sum(m.sum[:0]))
	return nil
}

// Seal returns form, nonce, message and tag.
func (k *Key) Seal(plain, data []byte) ([]byte, error) {
	out := make([]byte, 1+nonceSize, len(plain)+Overhead)
	out[0] = form
	nonce := out[1 : 1+nonceSize]
	if err := k.nonce(nonce, plain, data); err != nil {
		return nil, err
	}
	return k.cipher.seal(out, nonce, plain, data), nil
}

// Open returns what Seal was given, or ErrOpen.
func (k *Key) Open(sealed, data []byte) ([]byte, error) {
	if len(sealed) < Overhead || sealed[0] != form {
		return nil, ErrOpen
	}
	nonce, text := sealed[1:1+nonceSize], sealed[1+nonceSize:]
	plain, err := k.cipher.open(make([]byte, 0, len(text)), nonce, text, data)
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}

package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"stoa.dev/stoa/internal/platform/ids"
)

// ErrOpen means a sealed value was altered, is used with other additional data than it was sealed with, or was
// sealed under another root key.
var ErrOpen = errors.New("seal: the value does not open: it was altered, moved or sealed under another key")

const (
	keySize   = 32
	nonceSize = 12
	tagSize   = 16
	// version opens every sealed value, so that another cipher can follow one day.
	version = 1
	// Overhead is how many bytes a sealed value is longer than the plain one.
	Overhead = 1 + nonceSize + tagSize
)

// Box seals values under one key. It is safe for concurrent use.
type Box struct {
	root   []byte
	source *ids.Source
	aead   cipher.AEAD
	// proofSalt is that of ProofKey; empty outside of a lab.
	proofSalt string
	// left is the check file that Open made, see Withdraw.
	left string
}

// newBox is only given keys of keySize, for which neither HKDF nor AES can fail.
func newBox(root []byte, source *ids.Source) *Box {
	b := &Box{root: root, source: source}
	block, err := aes.NewCipher(b.Derive("seal"))
	if err != nil {
		panic(fmt.Sprintf("seal: %v", err))
	}
	if b.aead, err = cipher.NewGCM(block); err != nil {
		panic(fmt.Sprintf("seal: %v", err))
	}
	return b
}

// Seal encrypts plain and binds it to aad, the facts that say where the value belongs (table, row, column): copied
// to another place it does not open. Two calls never give the same bytes.
func (b *Box) Seal(plain, aad []byte) []byte {
	sealed := make([]byte, 1+nonceSize, Overhead+len(plain))
	sealed[0] = version
	_, _ = b.source.Read(sealed[1:]) // Read of a Source never fails.
	return b.aead.Seal(sealed, sealed[1:], plain, withVersion(aad))
}

// Open gives back what Seal was given. Every failure is ErrOpen: which byte was wrong is not told.
func (b *Box) Open(sealed, aad []byte) ([]byte, error) {
	if len(sealed) < Overhead || sealed[0] != version {
		return nil, ErrOpen
	}
	nonce, text := sealed[1:1+nonceSize], sealed[1+nonceSize:]
	plain, err := b.aead.Open(nil, nonce, text, withVersion(aad))
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}

// withVersion authenticates the version byte too.
func withVersion(aad []byte) []byte {
	return append([]byte{version}, aad...)
}

// Derive gives a key of 32 bytes for one purpose. The same root key and purpose always give the same bytes; keys of
// different purposes tell nothing about each other.
func (b *Box) Derive(purpose string) []byte { return b.derive(purpose, nil) }

// ProofKey is Derive for what is handed to clients and proves something when it comes back, and for nothing that is
// stored: worlds whose data are copies of each other have the same root key and each its own proofs.
func (b *Box) ProofKey(purpose string) []byte { return b.derive(purpose, []byte(b.proofSalt)) }

// WithProofSalt gives a box that differs in its proof keys only. An empty salt makes them those of Derive.
func (b *Box) WithProofSalt(salt string) *Box {
	own := *b
	own.proofSalt = salt
	return &own
}

func (b *Box) derive(purpose string, salt []byte) []byte {
	key, err := hkdf.Key(sha256.New, b.root, salt, "stoa "+purpose, keySize)
	if err != nil {
		panic(fmt.Sprintf("seal: %v", err))
	}
	return key
}

// For gives a box of its own for one purpose: what it seals opens in no other box.
func (b *Box) For(purpose string) *Box {
	return newBox(b.Derive("box "+purpose), b.source).WithProofSalt(b.proofSalt)
}

// Check is the key check value, 32 hexadecimal characters: equal for equal root keys, and no help in finding one.
// Processes that share a database but not a folder compare it before they write.
func (b *Box) Check() string { return hex.EncodeToString(b.Derive("check")[:16]) }

// Format keeps the key out of logs and errors whatever the verb.
func (b *Box) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "seal.Box("+b.Check()[:8]+")") }

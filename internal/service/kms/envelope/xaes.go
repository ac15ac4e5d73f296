package envelope

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
)

const (
	// KeySize is the length of every key.
	KeySize = 32
	// nonceSize is the length of an XAES-256-GCM nonce.
	nonceSize = 24
	tagSize   = 16
	half      = nonceSize / 2
)

// xaes is XAES-256-GCM under one key. It is safe for concurrent use.
type xaes struct {
	block cipher.Block
	// mask is the first CMAC subkey, which both derivation blocks are whitened
	// with.
	mask [aes.BlockSize]byte
}

// newXAES is only given keys of KeySize, for which AES cannot fail.
func newXAES(key []byte) *xaes {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("envelope: " + err.Error())
	}
	x := &xaes{block: block}
	block.Encrypt(x.mask[:], x.mask[:])
	// Doubling in GF(2^128), in constant time.
	var carry byte
	for i := len(x.mask) - 1; i >= 0; i-- {
		carry, x.mask[i] = x.mask[i]>>7, x.mask[i]<<1|carry
	}
	x.mask[len(x.mask)-1] ^= carry * 0x87
	return x
}

// derive makes the AES-256-GCM instance of a nonce.
func (x *xaes) derive(nonce []byte) cipher.AEAD {
	var key [KeySize]byte
	for i := range 2 {
		part := key[i*aes.BlockSize : (i+1)*aes.BlockSize]
		part[1], part[2] = byte(i+1), 'X'
		copy(part[4:], nonce[:half])
		subtle.XORBytes(part, part, x.mask[:])
		x.block.Encrypt(part, part)
	}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic("envelope: " + err.Error())
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic("envelope: " + err.Error())
	}
	clear(key[:])
	return aead
}

func (x *xaes) seal(dst, nonce, plain, data []byte) []byte {
	return x.derive(nonce).Seal(dst, nonce[half:], plain, data)
}

func (x *xaes) open(dst, nonce, sealed, data []byte) ([]byte, error) {
	return x.derive(nonce).Open(dst, nonce[half:], sealed, data)
}

package limit

import (
	"crypto/sha256"
	"encoding/hex"
)

// id names a key of a window: 128 bits of a SHA-256. A key may be as long as it
// likes and costs 16 bytes, no table or dump shows it, and no two keys that meet can
// be found.
type id [16]byte

func (k id) String() string { return hex.EncodeToString(k[:]) }

// makeID hashes on the stack in all common cases. The length of the name comes
// first, so that no two pairs of name and key give the same text.
func makeID(name, key string) id {
	var buf [256]byte
	text := append(buf[:0], byte(len(name)), byte(len(name)>>8))
	text = append(text, name...)
	text = append(text, key...)
	sum := sha256.Sum256(text)
	return id(sum[:16])
}

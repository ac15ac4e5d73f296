package page

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// The ways in which a page token is refused.
var (
	// ErrToken means that the token is not one of ours, was changed, or belongs
	// to another request.
	ErrToken = errors.New("the page token is not valid for this request")
	// ErrTokenExpired means that the token was ours but is too old.
	ErrTokenExpired = errors.New("the page token has expired")
)

const (
	tokenVersion = 1
	tokenHeader  = 1 + 8 // version, expiry in Unix seconds (0: never)
	tokenMAC     = 16    // HMAC-SHA-256 cut to 128 bits (RFC 2104, section 5)
	tokenMax     = 8 << 10
)

// Sealer makes page tokens that cannot be forged and that are good for one
// request only. The content is signed, not hidden: put no secret into it.
type Sealer struct {
	key []byte
}

// NewSealer uses key, which is at least 16 random bytes, for all its tokens.
func NewSealer(key []byte) *Sealer {
	if len(key) < 16 {
		panic("page: a sealer's key needs at least 16 bytes")
	}
	return &Sealer{key: append([]byte(nil), key...)}
}

// Seal makes a token of v, bound to binding, that never expires. The binding
// names everything the token depends on: operation, caller and filters. v is a
// cursor of the service's own making; one that JSON cannot hold is a
// programming error and panics.
func (s *Sealer) Seal(v any, binding string) string {
	return s.SealUntil(v, binding, time.Time{})
}

// SealUntil is Seal with an expiry, which OpenAt enforces to the second. The
// zero time means never.
func (s *Sealer) SealUntil(v any, binding string, expires time.Time) string {
	content, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("page: cursor of type %T cannot be sealed: %v", v, err))
	}
	raw := make([]byte, tokenHeader, tokenHeader+len(content)+tokenMAC)
	raw[0] = tokenVersion
	if !expires.IsZero() {
		binary.BigEndian.PutUint64(raw[1:], uint64(expires.Unix()))
	}
	raw = append(raw, content...)
	raw = append(raw, s.mac(raw, binding)...)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// Open reads a token that was sealed with the same binding into v, whatever
// its expiry. The error is ErrToken.
func (s *Sealer) Open(token, binding string, v any) error {
	return s.OpenAt(token, binding, time.Time{}, v)
}

// OpenAt is Open that also refuses, with ErrTokenExpired, a token whose expiry
// is not after now.
func (s *Sealer) OpenAt(token, binding string, now time.Time, v any) error {
	// The decoder skips line breaks and, unless strict, stray bits; either would
	// let two texts mean one token.
	if len(token) > tokenMax || strings.ContainsAny(token, "\r\n") {
		return ErrToken
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) < tokenHeader+tokenMAC || raw[0] != tokenVersion {
		return ErrToken
	}
	body, mac := raw[:len(raw)-tokenMAC], raw[len(raw)-tokenMAC:]
	if !hmac.Equal(mac, s.mac(body, binding)) {
		return ErrToken
	}
	expires := int64(binary.BigEndian.Uint64(body[1:tokenHeader]))
	if expires != 0 && !now.IsZero() && now.Unix() >= expires {
		return ErrTokenExpired
	}
	if err := json.Unmarshal(body[tokenHeader:], v); err != nil {
		// Sealed by us for the same binding but of another shape: the token is
		// older than this version of the service.
		return fmt.Errorf("%w: %w", ErrToken, err)
	}
	return nil
}

// mac covers the binding with its length, so that no part of one can pass for
// a part of the other.
func (s *Sealer) mac(body []byte, binding string) []byte {
	h := hmac.New(sha256.New, s.key)
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(binding)))
	for _, part := range [][]byte{size[:], []byte(binding), body} {
		_, _ = h.Write(part) // a hash never fails
	}
	return h.Sum(nil)[:tokenMAC]
}

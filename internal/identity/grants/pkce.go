package grants

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
)

// IsChallenge reports whether text can be an S256 challenge (RFC 7636): 43 URL-safe
// base64 characters.
func IsChallenge(text string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(raw) == sha256.Size && len(text) == base64.RawURLEncoding.EncodedLen(sha256.Size)
}

// verifies reports whether the verifier proves the challenge. A verifier without a
// challenge is a downgrade and refused too.
func verifies(challenge, verifier string) bool {
	if challenge == "" {
		return verifier == ""
	}
	given := base64.RawURLEncoding.EncodeToString(hashCode(verifier))
	return subtle.ConstantTimeCompare([]byte(given), []byte(challenge)) == 1
}

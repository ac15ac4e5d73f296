package packages

import (
	"encoding/base64"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// The bounds of the contract.
const (
	maxBatch          = 5000
	maxQueryResults   = 1000
	maxProjectResults = 1500
)

// Selection is what a Query asks for: by name, by hash, or both.
type Selection struct {
	// System, Name and Version are empty when not given.
	System  catalog.System
	Name    string
	Version string
	// Hash has no type when none is given.
	Hash catalog.Hash
}

func (q Selection) byHash() bool { return q.Hash.Type != "" }

// parseHash reads the two parameters of a hash: both or none.
func parseHash(kind, value string) (catalog.Hash, error) {
	if kind == "" && value == "" {
		return catalog.Hash{}, nil
	}
	if kind == "" || value == "" {
		return catalog.Hash{}, errInvalid("hash.type and hash.value belong together: give both or none")
	}
	t, ok := parseHashType(kind)
	if !ok {
		return catalog.Hash{}, errInvalid("hash.type %q is not one of MD5, SHA1, SHA256, SHA512", kind)
	}
	digest, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		// Clients that build URLs by hand tend to send the URL alphabet.
		if digest, err = base64.URLEncoding.DecodeString(value); err != nil {
			return catalog.Hash{}, errInvalid("hash.value is not base64")
		}
	}
	if len(digest) > maxDigest {
		return catalog.Hash{}, errInvalid("hash.value is longer than any digest")
	}
	return catalog.Hash{Type: t, Digest: digest}, nil
}

// maxDigest is generous: base64 of a digest's hexadecimal text is well-formed
// and simply matches nothing.
const maxDigest = 256

func parseHashType(s string) (catalog.HashType, bool) {
	for _, t := range catalog.HashTypes() {
		if strings.EqualFold(s, string(t)) {
			return t, true
		}
	}
	return "", false
}

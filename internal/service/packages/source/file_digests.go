package source

import (
	"bytes"
	"crypto/md5"  //nolint:gosec // one of the four digests that files are looked up by
	"crypto/sha1" //nolint:gosec // likewise
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// AllHashes is the four digests of a file that was fetched whole, where the
// registry told fewer. One that the registry told stays as it was told.
func AllHashes(told []catalog.Hash, body []byte) []catalog.Hash {
	have := map[catalog.HashType]bool{}
	for _, h := range told {
		have[h.Type] = true
	}
	add := func(t catalog.HashType, digest []byte) {
		if !have[t] {
			told = append(told, catalog.Hash{Type: t, Digest: digest})
		}
	}
	a, b, c, d := md5.Sum(body), sha1.Sum(body), sha256.Sum256(body), sha512.Sum512(body) //nolint:gosec // see above
	add(catalog.MD5, a[:])
	add(catalog.SHA1, b[:])
	add(catalog.SHA256, c[:])
	add(catalog.SHA512, d[:])
	return told
}

// CheckedHashes is the four digests of a file, which has those that the registry told.
func CheckedHashes(told []catalog.Hash, body []byte) ([]catalog.Hash, error) {
	found := AllHashes(nil, body)
	for _, t := range told {
		for _, is := range found {
			if t.Type == is.Type && !bytes.Equal(t.Digest, is.Digest) {
				return told, fmt.Errorf("the file does not have the %s that its registry tells", t.Type)
			}
		}
	}
	return found, nil
}

// hexHash reads a digest in hexadecimal; what is no digest gives nothing.
func hexHash(t catalog.HashType, text string) []catalog.Hash {
	digest, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(digest) != t.Size() {
		return nil
	}
	return []catalog.Hash{{Type: t, Digest: digest}}
}

// base64Hash reads a digest in base64.
func base64Hash(t catalog.HashType, text string) []catalog.Hash {
	digest, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(digest) != t.Size() {
		return nil
	}
	return []catalog.Hash{{Type: t, Digest: digest}}
}

package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// ETag is a strong entity tag of a body: 128 bits of its SHA-256, so that no
// two bodies share one by accident or by intent.
func ETag(b []byte) string {
	sum := sha256.Sum256(b)
	var tag [34]byte
	tag[0], tag[33] = '"', '"'
	hex.Encode(tag[1:33], sum[:16])
	return string(tag[:])
}

// NotModified sets the ETag and, when a GET or HEAD names it in If-None-Match,
// answers 304 and returns true: the handler is then done. Tags are compared
// weakly (RFC 9110, section 13.1.2).
func NotModified(w http.ResponseWriter, r *http.Request, etag string) bool {
	w.Header()["Etag"] = []string{etag}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for _, line := range r.Header["If-None-Match"] {
		if matchesTag(line, etag) {
			// The answer that is left out might have been compressed.
			addVary(w.Header(), "Accept-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// matchesTag looks for etag in a list of tags. A tag may hold commas, so the
// list is read tag by tag and not split.
func matchesTag(list, etag string) bool {
	etag = strings.TrimPrefix(etag, "W/")
	for {
		list = strings.TrimLeft(list, " \t,")
		if list == "" {
			return false
		}
		if list[0] == '*' {
			return true
		}
		list = strings.TrimPrefix(list, "W/")
		if !strings.HasPrefix(list, `"`) {
			// Some clients send the bare tag; it cannot be mistaken for another.
			bare, rest, _ := strings.Cut(list, ",")
			if strings.TrimSpace(bare) == strings.Trim(etag, `"`) {
				return true
			}
			list = rest
			continue
		}
		end := strings.IndexByte(list[1:], '"')
		if end < 0 {
			return false
		}
		if list[:end+2] == etag {
			return true
		}
		list = list[end+2:]
	}
}

package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
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
		if listsWeakly(line, etag) {
			// The answer that is left out might have been compressed.
			addVary(w.Header(), "Accept-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// IfMatch is the condition of a change, for MatchTag; empty where the request has none. A header that is there and
// lists nothing is a condition that nothing meets (RFC 9110, section 13.1.1): the caller meant to have a tag.
func IfMatch(r *http.Request) string {
	lines := r.Header["If-Match"]
	if all := strings.Join(lines, ","); len(lines) == 0 || strings.Trim(all, " \t,") != "" {
		return all
	}
	return ","
}

// MatchTag reports whether an If-Match header allows a change of what has this
// tag: the header is absent, is any (*), or lists the tag. Tags are compared
// strongly (RFC 9110, section 13.1.1).
func MatchTag(header, etag string) bool {
	if header == "" {
		return true
	}
	for tag := range listedTags(header) {
		if tag == "*" || tag == etag && !strings.HasPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

func listsWeakly(list, etag string) bool {
	etag = strings.TrimPrefix(etag, "W/")
	for tag := range listedTags(list) {
		tag = strings.TrimPrefix(tag, "W/")
		// Some clients send the bare tag; it cannot be mistaken for another.
		if tag == "*" || tag == etag || tag == strings.Trim(etag, `"`) {
			return true
		}
	}
	return false
}

// listedTags are the tags of a list as they are written. A tag may have commas
// inside, so the list is read tag by tag and not split.
func listedTags(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			list = strings.TrimLeft(list, " \t,")
			if list == "" {
				return
			}
			end := tagLength(list)
			if !yield(strings.TrimRight(list[:end], " \t")) {
				return
			}
			list = list[end:]
		}
	}
}

// tagLength is where the first tag of a list ends: after its closing quote, or
// before the comma that follows a bare one.
func tagLength(list string) int {
	quoted := strings.TrimPrefix(list, "W/")
	if strings.HasPrefix(quoted, `"`) {
		if n := strings.IndexByte(quoted[1:], '"'); n >= 0 {
			return len(list) - len(quoted) + n + 2
		}
		return len(list)
	}
	if n := strings.IndexByte(list, ','); n >= 0 {
		return n
	}
	return len(list)
}

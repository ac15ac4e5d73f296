package requestid

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/ids"
)

// Of is the caller's own name for the request where that can be repeated, otherwise
// a new one.
func Of(r *http.Request, source *ids.Source) string {
	if id := r.Header.Get("X-Request-Id"); validID(id) {
		return id
	}
	return source.Hex(32)
}

// validID keeps foreign ids out of the log that could forge lines or flood it.
func validID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for i := 0; i < len(id); i++ {
		c := id[i]
		letter := (c|0x20) >= 'a' && (c|0x20) <= 'z'
		if !letter && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

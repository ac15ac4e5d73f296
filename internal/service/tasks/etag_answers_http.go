package tasks

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

const mediaType = "application/json; charset=UTF-8"

// write answers a change with the changed resource.
func write(w http.ResponseWriter, r *route.Request, tag string, body any) error {
	w.Header().Set("ETag", tag)
	w.Header().Set("Content-Type", mediaType)
	return wire.WriteJSON(w, r.Request, http.StatusOK, body)
}

// writeAnswer answers 304 to a reader that has this version already.
func writeAnswer(w http.ResponseWriter, r *route.Request, a memo.Answer) error {
	if wire.NotModified(w, r.Request, a.Tag) {
		return nil
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, mediaType, a.Body)
}

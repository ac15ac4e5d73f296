package packages

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/packages/document"
)

// write answers with an encoded document.
func write(w http.ResponseWriter, r *route.Request, doc []byte) error {
	return wire.WriteBytes(w, r.Request, http.StatusOK, "application/json", doc)
}

// common sets the headers of every answer: what the procedure-call face would
// say in its trailers, and that answers may be kept for a minute.
func common(w http.ResponseWriter, _ *route.Request) error {
	h := w.Header()
	h["Grpc-Status"] = []string{"0"}
	h["Cache-Control"] = []string{"public, max-age=60"}
	return nil
}

// writeShape encodes an answer that is not kept encoded.
func writeShape(w http.ResponseWriter, r *route.Request, v any) error {
	doc, err := document.Marshal(v)
	if err != nil {
		return err
	}
	return write(w, r, doc)
}

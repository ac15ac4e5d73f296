package pipelines

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// formOf chooses the encoding: EDN without an Accept header or with an empty one, compact JSON for application/json,
// indented JSON for anything else.
func formOf(r *http.Request) wire.Form {
	accept := strings.TrimSpace(strings.Join(r.Header["Accept"], ", "))
	switch {
	case accept == "":
		return wire.EDN
	case strings.EqualFold(accept, "application/json"):
		return wire.CompactJSON
	}
	return wire.IndentedJSON
}

// respond sends a value in the encoding that the caller asked for.
func respond(w http.ResponseWriter, r *route.Request, status int, v any) error {
	form := formOf(r.Request)
	body, err := form.Encode(v, 0)
	if err != nil {
		return err
	}
	return write(w, r, status, form, body)
}

// write sends an encoded body. What a private project says is for its caller alone.
func write(w http.ResponseWriter, r *route.Request, status int, form wire.Form, body []byte) error {
	h := w.Header()
	h.Add("Vary", "Accept")
	h.Set("Cache-Control", "private, no-cache")
	return wire.WriteBytes(w, r.Request, status, form.MediaType(), body)
}

// messageJSON answers a call that only succeeds or fails.
type messageJSON struct {
	Message wire.Text `json:"message"`
}

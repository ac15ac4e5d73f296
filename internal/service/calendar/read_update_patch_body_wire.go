package calendar

import (
	"encoding/json"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/calendar/mergepatch"
)

// readBody takes the body as it is; it is decoded once it is known what it is
// merged into.
func readBody(r *route.Request) ([]byte, error) {
	var raw json.RawMessage
	if err := wire.ReadJSON(r.Request, &raw); err != nil {
		return nil, err
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil, &wire.SyntaxError{Reason: "the body must be a JSON object"}
	}
	return raw, nil
}

// readDocument reads a body that is not merged into anything.
func readDocument(r *route.Request, doc any) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	return wire.DecodeJSON(body, doc)
}

// change is an update (replace) or a patch (merge) of a document.
type change struct {
	body    []byte
	merges  bool
	ifMatch string
}

func ifMatch(r *route.Request) string { return wire.IfMatch(r.Request) }

// readChange reads the body of an update or a patch and its condition.
func readChange(r *route.Request) (change, error) {
	body, err := readBody(r)
	return change{body: body, merges: r.Method == http.MethodPatch, ifMatch: ifMatch(r)}, err
}

// apply gives the document as it is after the change.
func (ch change) apply(doc, into any) error {
	if ch.merges {
		return mergepatch.Apply(doc, ch.body, into)
	}
	return wire.DecodeJSON(ch.body, into)
}

package labpages

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

// refusal is what the lab says when it refuses.
type refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next"`
}

// Error is the message and the next step.
func (r *refusal) Error() string {
	if r.Next == "" {
		return r.Message
	}
	return r.Message + " (" + r.Next + ")"
}

// ask calls the control API.
func (p *Pages) ask(ctx context.Context, method, path string, body, into any) error {
	control, world := p.o.Control()
	if control == nil || world == "" {
		return route.ErrNoRoute
	}
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://lab/lab/v1"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	} else {
		r.Body = http.NoBody
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	control.ServeHTTP(w, r)
	if w.status >= http.StatusBadRequest {
		var refused struct {
			Error refusal `json:"error"`
		}
		if json.Unmarshal(w.body.Bytes(), &refused) != nil || refused.Error.Message == "" {
			refused.Error.Message = "the lab answered with status " + http.StatusText(w.status)
		}
		return &refused.Error
	}
	if into == nil || w.body.Len() == 0 {
		return nil
	}
	return json.Unmarshal(w.body.Bytes(), into)
}

// recorder keeps an answer of the lab in memory.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is that of the answer.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader keeps the status.
func (w *recorder) WriteHeader(status int) { w.status = status }

// Write keeps the body.
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }

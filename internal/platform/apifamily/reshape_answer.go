package apifamily

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// shaped runs the operation and gives its answer the form that was asked for. The
// operation sees a plain GET without compression: what it would have left out of its
// answer is needed here.
func (p parameters) shaped(w http.ResponseWriter, r *route.Request, handle route.Handler) error {
	plain, inner := *r, *r.Request
	inner.Header = r.Header.Clone()
	inner.Header.Del("Accept-Encoding")
	if inner.Method == http.MethodHead {
		inner.Method = http.MethodGet
	}
	plain.Request = &inner
	buffered := &bufferedResponse{header: w.Header()}
	if err := handle(buffered, &plain); err != nil {
		return err
	}

	status, body := buffered.status, buffered.body.Bytes()
	if status == 0 {
		status = http.StatusOK
	}
	media := w.Header().Get("Content-Type")
	if len(body) == 0 || !strings.HasPrefix(media, "application/json") {
		w.WriteHeader(status)
		if len(body) == 0 || r.Method == http.MethodHead {
			return nil
		}
		_, err := w.Write(body)
		return err
	}
	if p.mask != nil {
		body = p.mask.Filter(body)
	}
	if p.indent {
		var out bytes.Buffer
		if err := json.Indent(&out, body, "", "  "); err != nil {
			return err
		}
		body = out.Bytes()
	}
	w.Header().Del("Content-Length")
	return wire.WriteBytes(w, r.Request, status, media, body)
}

// bufferedResponse keeps an answer instead of sending it. Its headers are already those of
// the response.
type bufferedResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header are the headers of the response.
func (b *bufferedResponse) Header() http.Header { return b.header }

// WriteHeader notes the status.
func (b *bufferedResponse) WriteHeader(status int) {
	if b.status == 0 {
		b.status = status
	}
}

// Write keeps a part of the body.
func (b *bufferedResponse) Write(p []byte) (int, error) { return b.body.Write(p) }

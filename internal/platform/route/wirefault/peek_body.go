package wirefault

import (
	"bytes"
	"io"
	"net/http"

	"stoa.dev/stoa/internal/platform/wire"
)

// maxPeeked is how much of a body is looked at. Longer ones show nothing.
const maxPeeked = 1 << 20

// Peek reads the body of a request and puts it back.
func Peek(r *http.Request) []byte {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength > maxPeeked {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, maxPeeked+1))
	rest := io.Reader(r.Body)
	if err != nil {
		rest = failingReader{err}
	}
	peeked := body{Reader: io.MultiReader(bytes.NewReader(text), rest), Closer: r.Body}
	if w, ok := r.Body.(wire.Weigher); ok {
		r.Body = &weighedBody{body: peeked, Weigher: w}
	} else {
		r.Body = &peeked
	}
	if err != nil || len(text) > maxPeeked {
		return nil
	}
	return text
}

// body is one of which the beginning was read before.
type body struct {
	io.Reader
	io.Closer
}

// weighedBody keeps the budget of its body within reach.
type weighedBody struct {
	body
	wire.Weigher
}

type failingReader struct{ err error }

// Read returns the error of the read that failed.
func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

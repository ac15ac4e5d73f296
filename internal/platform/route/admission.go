package route

import (
	"io"
	"net/http"

	"stoa.dev/stoa/internal/platform/budget"
)

const (
	// lightBody is what every request may send without being weighed.
	lightBody = 4 << 10
	// bodyWeight is how many bytes of memory one byte of a body stands for: the
	// buffer it is read into, what is decoded from it, and the garbage of both.
	bodyWeight = 4
)

// weighedBody is a body whose reader has a grant of the process's memory. Readers
// that decode it grow the grant by what they are about to make (wire.Weigher).
type weighedBody struct {
	io.ReadCloser
	grant *budget.Grant
	paid  int64 // bytes that the grant covers
	read  int64
}

// Read grows the grant where the length was not known.
func (b *weighedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.read += int64(n); b.read > b.paid {
		if refused := b.grant.Grow(bodyWeight * (b.read - b.paid)); refused != nil {
			return n, refused
		}
		b.paid = b.read
	}
	return n, err
}

// Weigh takes n more bytes for what is decoded from the body.
func (b *weighedBody) Weigh(n int64) error { return b.grant.Grow(n) }

// enter takes a place among the requests in progress. A route that streams has
// a bound of its own.
func (m *Mux) enter(x *exchange, ep *endpoint) error {
	if ep.timeout == 0 {
		return nil
	}
	x.owner = x.Owner()
	err := m.o.Requests.Enter(x.Context(), x.owner, 1)
	x.entered = err == nil
	return err
}

// weigh takes memory for the body before it is read, once the caller is
// known. A route that spools its body to disk is not weighed.
func (m *Mux) weigh(x *exchange, ep *endpoint) error {
	r := x.Request.Request
	if r.Body == nil || r.Body == http.NoBody || ep.maxBody < 0 || ep.route.Spools {
		return nil
	}
	paid := int64(lightBody)
	if r.ContentLength > lightBody {
		paid = r.ContentLength
	}
	need := int64(0)
	if paid > lightBody {
		need = bodyWeight * paid
	}
	grant, err := m.o.Memory.Take(x.Context(), x.Owner(), need)
	if err != nil {
		return err
	}
	x.grant = grant
	r.Body = &weighedBody{ReadCloser: r.Body, grant: grant, paid: paid}
	return nil
}

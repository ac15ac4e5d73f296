package recording

import (
	"io"
	"net/http"
	"reflect"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/wire"
)

// body is a body that the journal keeps the beginning of.
type body struct {
	io.ReadCloser
	draft *journal.Draft
}

// Read notes what was read.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.draft.AddRequest(p[:n])
	return n, err
}

// Weigh asks the body that has a budget.
func (b *body) Weigh(n int64) error {
	if w, ok := b.ReadCloser.(wire.Weigher); ok {
		return w.Weigh(n)
	}
	return nil
}

// Decoded notes the type that the body was read into.
func (b *body) Decoded(t reflect.Type) { b.draft.SetDecoded(t) }

// Watch has the draft see what is read of the request's body from now on.
func Watch(r *http.Request, d *journal.Draft) {
	if d != nil && r.Body != nil && r.Body != http.NoBody {
		r.Body = &body{ReadCloser: r.Body, draft: d}
	}
}

// Rest shows the draft what is left of a body of which so much was read: what is at
// most small is read, since the server would read it anyway to keep the connection.
// Of a larger one, or one that gone says is not there, the draft is not whole.
func Rest(r *http.Request, d *journal.Draft, read, small int64, gone bool) {
	left := r.ContentLength - read
	if r.Body == nil || r.Body == http.NoBody || left == 0 {
		return
	}
	if left < 0 || left > small || gone || r.Header.Get("Expect") != "" {
		d.CutRequest()
		return
	}
	from := io.Reader(r.Body)
	if seen, ok := from.(*body); ok {
		from = seen.ReadCloser
	}
	rest := make([]byte, left)
	n, err := io.ReadFull(from, rest)
	d.AddRequest(rest[:n])
	if err != nil {
		d.CutRequest()
	}
}

// writer hides the other methods of the server's writer, which would copy without
// showing.
type writer struct {
	to    io.Writer
	draft *journal.Draft
}

// Write sends and keeps.
func (w *writer) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	w.draft.AddResponse(p[:n])
	return n, err
}

// CopyN is io.CopyN that shows what is copied, as long as the draft keeps some of it.
func CopyN(to io.Writer, from io.Reader, n int64, d *journal.Draft) (int64, error) {
	if d == nil {
		return io.CopyN(to, from, n)
	}
	if d.WantsResponse() > 0 {
		return io.CopyN(&writer{to, d}, from, n)
	}
	copied, err := io.CopyN(to, from, n)
	if copied > 0 {
		d.CutResponse()
	}
	return copied, err
}

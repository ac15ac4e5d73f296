package route

import (
	"errors"
	"io"
	"net/http"
)

// drained is how much of a body that nobody read the server may read after a
// refusal, to keep the connection. So much usually came with the headers.
const drained = 8 << 10

// upload is a request's body and how far it was read.
type upload struct {
	io.ReadCloser
	read  int64
	ended bool
}

// Read notes what was read.
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	u.read += int64(n)
	u.ended = u.ended || errors.Is(err, io.EOF)
	return n, err
}

// hangUp has the connection closed after a refusal if much of the body, or
// nobody knows how much, was not read. To keep the connection the server would
// first read up to 256 kB of it, and answer whoever sends slowly or without
// end after that.
func (x *exchange) hangUp() {
	r := x.Request.Request
	switch {
	case r.ProtoMajor != 1, r.Body == nil, r.Body == http.NoBody, x.body.ended,
		r.ContentLength >= 0 && r.ContentLength-x.body.read <= drained:
		return
	}
	x.rec.Header().Set("Connection", "close")
}

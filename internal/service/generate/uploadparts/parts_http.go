package uploadparts

import (
	"io"
	"mime/multipart"

	"stoa.dev/stoa/internal/platform/wire"
)

// maxHeads is how much there may be besides the bytes of the file: metadata, headers of parts and text before them.
const maxHeads = 128 << 10

// unbounded is what is left once the bytes have begun.
const unbounded = -1

// Parts are those of one body.
type Parts struct {
	body  io.Reader
	parts *multipart.Reader
	left  int64
	over  bool
}

// New reads the parts of a body.
func New(body io.Reader, boundary string) *Parts {
	p := &Parts{body: body, left: maxHeads}
	p.parts = multipart.NewReader(reader{p}, boundary)
	return p
}

// Metadata is the first part.
func (p *Parts) Metadata() (*multipart.Part, error) { return p.parts.NextPart() }

// File is the next part, the bytes of which have no bound.
func (p *Parts) File() (*multipart.Part, error) {
	part, err := p.parts.NextPart()
	p.left = unbounded
	return part, err
}

// Refusal is why parts could not be read: err, unless there was too much before the bytes.
func (p *Parts) Refusal(err error) error {
	if p.over {
		return wire.ErrTooLarge
	}
	return err
}

// reader bounds what the parts are read from.
type reader struct{ p *Parts }

func (r reader) Read(b []byte) (int, error) {
	switch {
	case r.p.left == unbounded:
		return r.p.body.Read(b)
	case r.p.left == 0:
		r.p.over = true
		return 0, wire.ErrTooLarge
	}
	n, err := r.p.body.Read(b[:min(int64(len(b)), r.p.left)])
	r.p.left -= int64(n)
	return n, err
}

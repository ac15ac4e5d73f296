package execute

import (
	"bytes"
	"errors"
	"io"
)

// part reads a pipe up to the marker, before which the shell wrote, in three
// digits, how the program ended. A program that failed makes reading fail, so
// that half an archive is not taken for a whole one.
type part struct {
	pipe   io.Reader
	marker []byte
	buf    []byte
	ready  []byte // known to be the program's
	rest   []byte // read, and undecided
	end    error
}

// statusSize is the length of the digits.
const statusSize = 3

// errTool says that a program in the sandbox failed.
var errTool = errors.New("execute: a program in the sandbox failed")

func newPart(pipe io.Reader, marker []byte) *part {
	return &part{pipe: pipe, marker: marker, buf: make([]byte, 2*chunk)}
}

// Read implements io.Reader.
func (p *part) Read(to []byte) (int, error) {
	for len(p.ready) == 0 {
		if p.end != nil {
			return 0, p.end
		}
		held := copy(p.buf, p.rest)
		n, err := p.pipe.Read(p.buf[held : held+chunk])
		data := p.buf[:held+n]
		if i := bytes.Index(data, p.marker); i >= 0 {
			p.finish(data[:i])
			continue
		}
		if err != nil {
			p.end = io.ErrUnexpectedEOF
			continue
		}
		keep := min(len(data), len(p.marker)+statusSize-1)
		p.ready, p.rest = data[:len(data)-keep], data[len(data)-keep:]
	}
	n := copy(to, p.ready)
	p.ready = p.ready[n:]
	return n, nil
}

// finish looks at the status. Code 1 is tar's way of saying that a file changed
// under its hands.
func (p *part) finish(data []byte) {
	p.ready, p.rest, p.end = nil, nil, errTool
	if len(data) < statusSize {
		return
	}
	p.ready = data[:len(data)-statusSize]
	if status := string(data[len(data)-statusSize:]); status == "000" || status == "001" {
		p.end = io.EOF
	}
}

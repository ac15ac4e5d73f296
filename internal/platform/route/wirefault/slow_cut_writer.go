package wirefault

import (
	"errors"
	"net/http"
	"time"
)

// ErrCut ends a handler whose answer was cut, ErrReset is why there is no answer.
var (
	ErrCut   = errors.New("a fault cut the answer")
	ErrReset = errors.New("a fault reset the connection")
)

// Writer cuts and slows a body.
type Writer struct {
	// Sleep waits as long as the request lives.
	Sleep func(time.Duration) error
	// Cutting ends the body when Left bytes are sent.
	Cutting bool
	Left    int64
	// BytesPerSecond slows the body; 0 does not.
	BytesPerSecond int64

	cut bool
}

// Each piece of a slow body takes a tenth of a second, or as long as its one byte
// does.
const piecesPerSecond = 10

// Cut reports whether the answer was cut.
func (p *Writer) Cut() bool { return p != nil && p.cut }

// Write sends b as the fault wants it.
func (p *Writer) Write(to http.ResponseWriter, b []byte) (sent int, err error) {
	if p.cut {
		return 0, ErrCut
	}
	flush := http.NewResponseController(to).Flush
	whole := !p.Cutting || int64(len(b)) <= p.Left
	if !whole {
		b = b[:p.Left]
	}
	for len(b) > 0 {
		part := b
		if p.BytesPerSecond > 0 {
			part = b[:min(int64(len(b)), max(1, p.BytesPerSecond/piecesPerSecond))]
		}
		n, err := to.Write(part)
		sent += n
		p.Left -= int64(n)
		b = b[n:]
		if err != nil {
			return sent, err
		}
		if p.BytesPerSecond > 0 {
			if err := p.pause(n, flush); err != nil {
				return sent, err
			}
		}
	}
	if whole {
		return sent, nil
	}
	p.cut = true
	return sent, errors.Join(ErrCut, flush())
}

// pause waits as long as n bytes take.
func (p *Writer) pause(n int, flush func() error) error {
	if err := flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return p.Sleep(time.Duration(n) * time.Second / time.Duration(p.BytesPerSecond))
}

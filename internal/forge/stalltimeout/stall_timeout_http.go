package stalltimeout

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

const (
	// chunk is how much of a request or an answer has to pass within stall.
	chunk = 64 << 10
	stall = 30 * time.Second
)

// body is one of a request: every chunk has to come in its time.
type body struct {
	from io.Reader
	conn *http.ResponseController
	left int // of the chunk that is under way
}

// Body is the body of a request whose answer w takes.
func Body(w http.ResponseWriter, from io.Reader) io.Reader {
	return &body{from: from, conn: http.NewResponseController(w)}
}

// Read implements io.Reader.
func (p *body) Read(b []byte) (int, error) {
	if p.left <= 0 {
		p.left = chunk
		// Writers of tests have no deadlines and need none.
		_ = p.conn.SetReadDeadline(clock.Real().Now().Add(stall))
	}
	n, err := p.from.Read(b[:min(len(b), chunk)])
	p.left -= n
	return n, err
}

// Send passes on what next gives until io.EOF. It calls begin, which writes the head,
// not before there is something to say, so that an error can still be answered; begun
// reports whether it did.
func Send(
	ctx context.Context, w http.ResponseWriter, next func(context.Context, []byte) (int, error), begin func() error,
) (begun bool, err error) {
	conn := http.NewResponseController(w)
	// Writers of tests have no deadlines and need none.
	defer func() { _ = conn.SetWriteDeadline(time.Time{}) }()
	buffer := make([]byte, chunk)
	for {
		n, err := next(ctx, buffer)
		ended := errors.Is(err, io.EOF) && n == 0
		if err != nil && !ended {
			return begun, err
		}
		// As above: tests need none.
		_ = conn.SetWriteDeadline(clock.Real().Now().Add(stall))
		if !begun {
			begun = true
			if err := begin(); err != nil {
				return begun, err
			}
		}
		if ended {
			return begun, nil
		}
		if _, err := w.Write(buffer[:n]); err != nil {
			return begun, err
		}
	}
}

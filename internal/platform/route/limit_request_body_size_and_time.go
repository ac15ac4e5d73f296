package route

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"stoa.dev/stoa/internal/platform/route/arrival"
	"stoa.dev/stoa/internal/platform/wire"
)

// maxDrained is how much of a body that was not read the server may read after a
// refusal, to keep the connection. So much usually came with the headers.
const maxDrained = 8 << 10

// bodyTime is how long a weighed body may take on a route without a deadline.
const bodyTime = 2 * time.Minute

// requestBody is a request's body and how far it was read. Its sender has a time
// limit: the context cannot interrupt a read, and a connection that sends a
// byte a minute would keep its handler for ever.
type requestBody struct {
	io.ReadCloser
	read  int64
	ended bool
	late  bool // it was not there in time
	lost  bool // its sender is gone

	conn http.ResponseWriter // the server's own, which knows the connection
	rate *arrival.Rate       // nil when a deadline is enough
}

// setReadDeadline limits the reads from now on.
func (u *requestBody) setReadDeadline(at time.Time) {
	// Writers of tests know no deadlines; they need none.
	_ = http.NewResponseController(u.conn).SetReadDeadline(at)
}

// Read notes what was read.
func (u *requestBody) Read(p []byte) (int, error) {
	paced := u.rate != nil && !u.ended
	if paced {
		u.setReadDeadline(u.rate.Begin())
	}
	n, err := u.ReadCloser.Read(p)
	u.read += int64(n)
	if paced {
		u.rate.Done(n)
	}
	switch {
	case errors.Is(err, io.EOF) && !u.ended:
		u.ended = true
		// The server goes on reading, to see the caller leave.
		u.setReadDeadline(time.Time{})
	case errors.Is(err, os.ErrDeadlineExceeded):
		u.late = true
	case arrival.Lost(err):
		u.lost = true
	}
	return n, err
}

// receive puts the body behind its limits.
func (m *Mux) receive(x *exchange, ep *endpoint) error {
	r := x.Request.Request
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if ep.maxBody >= 0 && r.ContentLength > ep.maxBody {
		return &wire.SizeError{Limit: ep.maxBody}
	}
	x.body.ReadCloser, x.body.conn = r.Body, x.rec.inner
	end := x.arrived.Add(ep.timeout)
	switch {
	case ep.timeout > 0 && ep.timeout <= arrival.Time:
		x.body.setReadDeadline(end)
	case ep.timeout > 0 && r.ContentLength >= 0 && r.ContentLength <= arrival.Part:
		x.body.setReadDeadline(x.arrived.Add(arrival.Time)) // what a rate would say
	case ep.timeout > 0:
		x.body.rate = &arrival.Rate{Clock: m.meter, Since: x.arrived, End: end}
	case ep.maxBody >= 0 && !ep.route.Spools:
		x.body.rate = &arrival.Rate{Clock: m.meter, Since: x.arrived, End: x.arrived.Add(bodyTime)}
	default:
		x.body.rate = &arrival.Rate{Clock: m.meter, Since: x.arrived}
	}
	if x.body.rate != nil { // also for what nothing reads: the server does, before it closes or goes on
		x.body.setReadDeadline(x.arrived.Add(arrival.Time))
	}
	r.Body = &x.body
	if ep.maxBody >= 0 {
		// The server's own writer, not ours: it closes the connection when
		// the limit is passed.
		r.Body = http.MaxBytesReader(x.rec.inner, r.Body, ep.maxBody)
	}
	return nil
}

// closeAfterRefusal has the connection closed if much of the body, or an unknown
// part of it, was not read. To keep the connection the server would first read up
// to 256 kB of it, and answer a client that sends slowly or without end only after
// that.
func (m *Mux) closeAfterRefusal(x *exchange) {
	r := x.Request.Request
	if r.Body == nil || r.Body == http.NoBody || x.body.ended {
		return
	}
	if x.body.conn == nil { // Refused before its body was looked at.
		x.body.conn = x.rec.inner
		x.body.setReadDeadline(m.meter.Now().Add(arrival.Time))
	}
	if r.ProtoMajor == 1 && (r.ContentLength < 0 || r.ContentLength-x.body.read > maxDrained) {
		x.rec.Header().Set("Connection", "close")
	}
}

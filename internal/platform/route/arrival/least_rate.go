package arrival

import (
	"io"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

const (
	// Time is how long each Part of a body may take, a body that is smaller as a whole: as long
	// as a header. It is a second less than the ten that callers are promised, so that a
	// connection whose sender is too slow is closed within these.
	Time = 9 * time.Second
	Part = 16 << 10
)

// Limit is how long a caller may take for a part of an answer on a route with a time limit of its own; 0 is none.
func Limit(own time.Duration) time.Duration {
	if own > 0 && own < Time {
		return own
	}
	return Time
}

// Rate is how a body has to come: each part of it within Time, from its beginning, and all of
// it before the end. The time between two reads is the handler's and does not count.
type Rate struct {
	// Clock measures the reads.
	Clock clock.Clock
	// Since is when the request came: what it waited until its first read is of the time of the parts that came
	// meanwhile.
	Since time.Time
	// End is when all of it has to be there; zero means that there is no such time.
	End time.Time

	first time.Time     // when the first read began, where Since is set
	begun time.Time     // when the read under way began
	left  time.Duration // for the rest of the part
	rest  int           // of the part, in bytes
}

// firstRead is what a part has at least after a wait. What came meanwhile is there, and read in as long.
const firstRead = Time / 18

// Begin is called before a read and says until when it may take.
func (r *Rate) Begin() time.Time {
	now := r.Clock.Now()
	if r.begun.IsZero() && !r.Since.IsZero() {
		r.first = now
	}
	if r.rest <= 0 {
		r.rest, r.left = Part, Time
		if now.Sub(r.first) < firstRead {
			r.left = max(Time-r.first.Sub(r.Since), firstRead)
		}
	}
	r.begun = now
	at := r.begun.Add(r.left)
	if !r.End.IsZero() && r.End.Before(at) {
		return r.End
	}
	return at
}

// Done is called after a read of n bytes.
func (r *Rate) Done(n int) {
	r.left -= r.Clock.Now().Sub(r.begun)
	r.rest -= n
}

// Paced reads the body of a request that no route answers, which has to come at the rate.
func Paced(w http.ResponseWriter, r *http.Request, rate *Rate) io.Reader {
	return &paced{body: r.Body, conn: http.NewResponseController(w), rate: rate}
}

type paced struct {
	body io.Reader
	conn *http.ResponseController
	rate *Rate
}

// Read implements io.Reader.
func (p *paced) Read(b []byte) (int, error) {
	// Writers of tests have no deadlines and need none.
	_ = p.conn.SetReadDeadline(p.rate.Begin())
	n, err := p.body.Read(b)
	p.rate.Done(n)
	return n, err
}

package route

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route/arrival"
)

// enter takes a place among the requests in progress. A route that streams has
// a bound of its own.
func (m *Mux) enter(x *exchange, ep *endpoint) error {
	if ep.timeout == 0 {
		return nil
	}
	x.owner = x.Owner()
	x.deadline.Owner = &x.owner
	x.answer.Begin(m.o.Memory, x.owner)
	x.deadline.Rows, x.rec.answer = &x.answer, &x.answer
	err := m.o.Requests.Enter(x.Context(), x.owner, 1)
	x.entered = err == nil
	return err
}

// weigh takes memory for the beginning of the body before it is read, once the caller is
// known. A route that spools its body to disk is not weighed.
func (m *Mux) weigh(x *exchange, ep *endpoint) error {
	r := x.Request.Request
	if r.Body == nil || r.Body == http.NoBody || ep.maxBody < 0 || ep.route.Spools {
		return nil
	}
	body, err := arrival.Weigh(x.Context(), m.o.Memory, x.Owner(), r.Body, r.ContentLength)
	if err != nil {
		return err
	}
	x.weighed, r.Body = body, body
	return nil
}

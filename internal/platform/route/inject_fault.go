package route

import (
	"time"

	"stoa.dev/stoa/internal/platform/route/arrival"
	"stoa.dev/stoa/internal/platform/route/wirefault"
)

// FaultRules decides which requests are made to fail.
type FaultRules interface {
	// FindFault is asked about each request that its handler would serve now, and
	// returns nil for those that are left alone.
	FindFault(service string, r *Request) *Fault
}

// Fault is what happens to a request. What is zero does not.
type Fault struct {
	// Name and the id of its Rule are what log and journal show.
	Name, Rule string
	// Handle answers in place of the route's handler.
	Handle Handler
	// Delay comes first, on the machine's clock or on the world's.
	Delay      time.Duration
	WorldClock bool
	// Cut ends the connection when so many bytes of the body were sent.
	Cut      bool
	CutAfter int64
	// Reset ends the connection without an answer.
	Reset bool
	// BytesPerSecond sends the body slowly.
	BytesPerSecond int64
}

// serveFault does what the fault says.
func (m *Mux) serveFault(x *exchange, ep *endpoint, f *Fault) error {
	x.fault = f.Name
	x.draft.SetFault(f.Name, f.Rule)
	if err := m.delay(x, ep, f); err != nil {
		return err
	}
	if f.Reset {
		x.status = StatusClientGone
		if !wirefault.Reset(x.rec.inner) {
			return errAborted
		}
		x.rec.begun = true
		return wirefault.ErrReset
	}
	if f.Cut || f.BytesPerSecond > 0 {
		sleep := func(d time.Duration) error {
			return x.held.Wait(x.Request.Request.Context(), m.meter, m.o.Clock, m.meter, d)
		}
		x.rec.paced = &wirefault.Writer{
			Sleep: sleep, Cutting: f.Cut, Left: f.CutAfter, BytesPerSecond: f.BytesPerSecond,
		}
	}
	handle := ep.route.Handle
	if f.Handle != nil {
		handle = f.Handle
	}
	x.handled = true
	err := handle(&x.rec, &x.Request)
	if x.rec.paced.Cut() {
		return errAborted
	}
	return err
}

// delay waits as long as the caller does. It takes nothing of the time that the
// operation has.
func (m *Mux) delay(x *exchange, ep *endpoint, f *Fault) error {
	if f.Delay <= 0 {
		return nil
	}
	on := m.meter
	if f.WorldClock {
		on = m.o.Clock
	}
	if x.body.conn != nil && !x.body.ended {
		x.body.setReadDeadline(time.Time{}) // the least rate is enough from here on
		x.body.rate = &arrival.Rate{Clock: m.meter}
	}
	err := x.held.Wait(x.Request.Request.Context(), m.meter, m.o.Clock, on, f.Delay)
	if err == nil && ep.timeout > 0 {
		x.deadline.MoveTo(m.meter.Now().Add(ep.timeout))
	}
	return err
}

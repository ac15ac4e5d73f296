package route

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route/actor"
	"stoa.dev/stoa/internal/platform/route/arrival"
	"stoa.dev/stoa/internal/platform/route/patternmux"
	"stoa.dev/stoa/internal/platform/route/recording"
	"stoa.dev/stoa/internal/platform/route/refusal"
	"stoa.dev/stoa/internal/platform/route/urltext"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/wire"
)

// Mux serves one route table in one envelope.
type Mux struct {
	o              Options
	tel            *telemetry.Telemetry
	meter          clock.Clock // measures durations, whatever the world's clock does
	realTime       bool        // the world's clock is the machine's
	routes         []Route
	mux            func() *patternmux.Mux // made at the first request
	noRouteMetrics *telemetry.RouteMetrics
	optionsMetrics *telemetry.RouteMetrics
	refusals       refusal.Log
}

// New builds a Mux, which keeps the table: no row may be changed afterwards. It
// panics on a malformed table or missing options: both are programming errors.
func New(o Options, routes []Route) *Mux {
	if o.Service == "" || o.WriteError == nil || o.Clock == nil || o.IDs == nil || o.Memory == nil || o.Requests == nil {
		panic("route: a mux needs Service, WriteError, Clock, IDs, Memory and Requests")
	}
	if o.MaxBody == 0 {
		o.MaxBody = 1 << 20
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	m := &Mux{o: o, tel: o.Telemetry, meter: clock.Real(), routes: routes}
	m.realTime = o.Clock == m.meter
	if m.tel == nil {
		m.tel = telemetry.Nop()
	}
	m.noRouteMetrics = m.tel.Route(o.Service, "none")
	m.optionsMetrics = m.tel.Route(o.Service, "options")
	m.checkRows()
	m.mux = sync.OnceValue(m.mount)
	return m
}

// Routes is the table that the Mux was built from.
func (m *Mux) Routes() []Route { return append([]Route(nil), m.routes...) }

// ServeHTTP answers one request.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := m.open(w, r)
	ep, err := m.run(x)
	if err != nil {
		m.fail(x, err)
	}
	m.close(x, ep)
	if x.abort || x.rec.paced.Cut() {
		// The only way to tell the caller that the answer is not whole.
		panic(http.ErrAbortHandler)
	}
}

// run takes the request through all gates and the handler. A panic anywhere in
// it becomes a *PanicError.
func (m *Mux) run(x *exchange) (ep *endpoint, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = m.panicError(v)
		}
	}()
	defer func() {
		if x.release != nil {
			x.release()
		}
		x.weighed.Release()
		x.answer.Release()
		if x.entered {
			m.o.Requests.Leave(x.owner, 1)
		}
	}()
	if m.o.CORS != nil {
		m.o.CORS.SetHeaders(&x.rec, x.Request.Request)
	}
	if m.o.Before != nil {
		if err := m.o.Before(&x.rec, &x.Request); err != nil {
			return nil, err
		}
	}
	ep, err = m.match(x)
	if err != nil || ep == nil {
		return ep, err
	}
	x.Route = ep.route
	x.rec.readTimeout = arrival.Limit(ep.timeout)
	if err := m.admit(x, ep); err != nil {
		return ep, err
	}
	recording.Watch(x.Request.Request, x.draft)
	if m.o.FaultRules != nil {
		if f := m.o.FaultRules.FindFault(m.o.Service, &x.Request); f != nil {
			return ep, m.serveFault(x, ep, f)
		}
	}
	x.handled = true
	return ep, ep.route.Handle(&x.rec, &x.Request)
}

// match finds the endpoint. No endpoint and no error means that the request is
// already answered.
func (m *Mux) match(x *exchange) (*endpoint, error) {
	r := x.Request.Request
	if urltext.InvalidPath(r.URL) || r.Method == http.MethodConnect {
		return nil, ErrNoRoute
	}
	x.rec.muted = true
	m.mux().ServeHTTP(&x.rec, r)
	x.rec.muted = false
	if e := x.rec.matched; e != nil {
		x.logPath = e.secretPattern
		if ep := e.pick(r); ep != nil {
			return ep, nil
		}
	}
	var allow []string
	allow, x.logPath = m.allowed(r)
	if allow == nil {
		return nil, ErrNoRoute
	}
	x.rec.Header().Set("Allow", strings.Join(allow, ", "))
	if r.Method != http.MethodOptions {
		return nil, &MethodError{Allow: allow}
	}
	if m.o.CORS != nil {
		m.o.CORS.Preflight(&x.rec, r, allow)
	}
	wire.NoContent(&x.rec, http.StatusNoContent)
	return nil, nil
}

// admit runs the gates between match and handler.
func (m *Mux) admit(x *exchange, ep *endpoint) error {
	r := x.Request.Request
	if urltext.InvalidQuery(r.URL.RawQuery) {
		return &wire.SyntaxError{Reason: "the query must be UTF-8 text without NUL"}
	}
	if err := m.receive(x, ep); err != nil {
		return err
	}
	if ep.timeout > 0 {
		x.deadline.Parent = x.Context()
		x.deadline.At = x.arrived.Add(ep.timeout)
		x.ctx = &x.deadline
	}
	if err := m.authenticate(x, ep); err != nil {
		return err
	}
	x.ctx = actor.With(x.Context(), r, x.ID, x.Caller)
	if err := m.enter(x, ep); err != nil {
		return err
	}
	if m.o.Gate != nil {
		release, err := m.o.Gate(&x.rec, &x.Request)
		x.release = release
		if err != nil {
			return err
		}
	}
	return m.weigh(x, ep)
}

// authenticate finds out who calls and whether the scopes suffice.
func (m *Mux) authenticate(x *exchange, ep *endpoint) error {
	if ep.route.Access == Open {
		return nil
	}
	c, ok := ep.extract(x.Request.Request)
	switch {
	case !ok && ep.route.Access == Required:
		return ErrNoCredential
	case !ok:
		return nil
	case c.Malformed:
		return &CredentialError{Reason: Malformed}
	}
	caller, err := m.o.Authenticate(x.Context(), c)
	if err != nil {
		return err
	}
	if caller == nil {
		return &CredentialError{Reason: Unknown}
	}
	x.Caller, x.rec.known = caller, true
	if len(ep.route.Scopes) == 0 || slices.ContainsFunc(ep.route.Scopes, caller.HasScope) {
		return nil
	}
	return &ScopeError{Needed: ep.route.Scopes}
}

// errAborted is a handler's own wish to cut the connection.
var errAborted = errors.New("the handler aborted the answer")

// panicError turns a recovered panic into an error.
func (m *Mux) panicError(v any) error {
	if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it the same way
		return errAborted
	}
	return &PanicError{Value: v, Stack: debug.Stack(), ID: m.o.IDs.Hex(16)}
}

// clientGone reports whether the caller has gone away.
func clientGone(r *http.Request) bool { return r.Context().Err() == context.Canceled }

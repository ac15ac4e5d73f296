package route

import (
	"cmp"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route/answermemory"
	"stoa.dev/stoa/internal/platform/route/arrival"
	"stoa.dev/stoa/internal/platform/route/consoleorclient"
	"stoa.dev/stoa/internal/platform/route/lazydeadline"
	"stoa.dev/stoa/internal/platform/route/nearest"
	"stoa.dev/stoa/internal/platform/route/recording"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// exchange is all that one request needs, in one allocation. It is not pooled: a handler's
// goroutine may keep its context or its writer longer than the request lasts.
type exchange struct {
	Request
	rec      recorder
	body     requestBody
	deadline lazydeadline.Context
	release  func() // from Gate
	weighed  *arrival.Body
	answer   answermemory.Memory
	owner    budget.Owner // whose place in Options.Requests it has
	entered  bool
	span     *telemetry.Span
	arrived  time.Time // on the machine's clock, whatever the world's says
	status   int       // overrides what the recorder saw
	reason   string
	who      string         // whose the refused credential is
	logPath  string         // for the log, when the real one has a secret
	draft    *journal.Draft // nil when the journal keeps nothing
	held     journal.Delay  // by a fault
	noRoute  bool           // the path belongs to no operation
	handled  bool           // the handler has run
	abort    bool
	refused  bool // a server error by its status alone
	id       [1]string
}

// open starts the bookkeeping of one request.
func (m *Mux) open(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{arrived: m.meter.Now()}
	x.Request.Request = r
	x.Start = x.arrived
	if !m.realTime {
		x.Start = m.o.Clock.Now()
	}
	x.rec.inner = w
	x.ID = RequestID(r, m.o.IDs)
	x.id[0] = x.ID
	w.Header()["X-Request-Id"] = x.id[:]
	if m.tel.Tracing() {
		x.ctx, x.span = m.tel.StartSpan(r.Context(), m.o.Service, r.Header)
		x.span.Set("request", x.ID)
	}
	if m.o.Journal != nil {
		if x.draft = m.o.Journal.Begin(x.Context()); x.draft != nil {
			x.ctx, x.rec.draft = x.draft, x.draft
		}
	}
	return x
}

// close ends the request: context, metrics, log line, span.
func (m *Mux) close(x *exchange, ep *endpoint) {
	if x.deadline.Parent != nil {
		x.deadline.End()
	}
	if !x.rec.begun && !x.abort {
		x.rec.begin(http.StatusOK) // net/http's answer for a handler that wrote nothing
	}
	status := cmp.Or(x.status, x.rec.status, http.StatusOK)
	took := m.meter.Now().Sub(x.arrived) - x.held.Machine
	metrics, name, unlisted := m.noRouteMetrics, "none", false
	switch {
	case ep != nil:
		metrics, name, unlisted = ep.metrics, ep.route.Name, ep.route.Unlisted
	case x.reason == "" && x.Method == http.MethodOptions:
		metrics, name = m.optionsMetrics, "options"
	}
	metrics.ObserveAnswer(status, x.refused, took)
	entry := telemetry.Entry{
		Time: x.Start, Service: m.o.Service, Route: name, Method: x.Method, Path: cmp.Or(x.logPath, x.URL.Path),
		Status: status, Bytes: x.rec.bytes, Duration: took, ID: x.ID, Reason: x.reason,
		Unlisted: unlisted, Caller: x.who,
	}
	if x.Caller != nil {
		entry.Caller = x.Caller.String()
	}
	m.tel.Record(x.Context(), &entry, x.URL.RawQuery)
	if x.draft != nil {
		m.endRecord(x, &entry)
	}
	if x.span != nil {
		x.span.Set("route", name)
		x.span.End(x.reason)
	}
}

// endRecord keeps the record of a request that is done.
func (m *Mux) endRecord(x *exchange, e *telemetry.Entry) {
	r := x.Request.Request
	if !x.body.ended {
		recording.Rest(r, x.draft, x.body.read, maxDrained, x.abort || x.body.late)
	}
	path, why := cmp.Or(x.logPath, r.URL.Path), e.Reason
	if x.noRoute {
		why += nearest.Path(Patterns(m.routes), r.Method, r.URL.Path)
	}
	x.draft.SetDelay(x.held)
	x.draft.Finish(&journal.Entry{
		At: x.Start, Duration: e.Duration, Service: e.Service, Operation: e.Route, Method: r.Method,
		Path: path, Target: r.URL.EscapedPath(), Query: r.URL.RawQuery, Status: e.Status,
		Reason: why, Caller: e.Caller, Host: r.Host, RequestHeader: r.Header,
		ByConsole: consoleorclient.MadeByPage(r), Page: consoleorclient.IsPage(r.URL.Path),
		ResponseHeader: x.rec.inner.Header(), Explain: m.o.Explain,
	})
}

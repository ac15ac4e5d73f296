package route

import (
	"cmp"
	"net/http"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route/consoleorclient"
	"stoa.dev/stoa/internal/platform/route/nearest"
	"stoa.dev/stoa/internal/platform/route/recording"
	"stoa.dev/stoa/internal/platform/telemetry"
)

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

package route

import (
	"cmp"
	"iter"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route/consolecall"
	"stoa.dev/stoa/internal/platform/route/nearest"
	"stoa.dev/stoa/internal/platform/route/recording"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// Patterns are the methods and patterns of a table.
func Patterns(routes []Route) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := range routes {
			if !yield(routes[i].Method, routes[i].Pattern) {
				return
			}
		}
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
		ByConsole: consolecall.MadeByPage(r), Page: consolecall.IsPage(r.URL.Path),
		ResponseHeader: x.rec.inner.Header(),
	})
}

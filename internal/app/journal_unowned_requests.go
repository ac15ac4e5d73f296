package app

import (
	"io"
	"net/http"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/nearest"
)

// What is kept of the newest requests, without headers and bodies: enough to see why
// one was refused a while ago.
const (
	maxBriefRecords = 2_000
	maxBriefBytes   = 2 << 20
)

// journal is the one of the options, or one that keeps the newest requests in brief.
func (a *App) journal() *journal.Journal {
	if a.options.Journal != nil {
		return a.options.Journal
	}
	j := journal.New(journal.Options{MaxRecords: maxBriefRecords, MaxBytes: maxBriefBytes})
	j.SetMode(journal.Brief)
	return j
}

// joinRoutes is the tables of all modules in one.
func (a *App) joinRoutes() (all []route.Route) {
	for _, m := range a.modules {
		all = append(all, m.Routes...)
	}
	return all
}

// maxUnownedBody is how much is read of a body that no service takes.
const maxUnownedBody = 8 << 10

// recorded keeps what no service answers in the journal, as the muxes of services
// do what they answer.
func (a *App) recorded(
	w http.ResponseWriter, r *http.Request, answer func(http.ResponseWriter) (operation, reason string),
) {
	draft := a.world.Journal.Begin(r.Context())
	if draft == nil {
		answer(&recordedWriter{ResponseWriter: w})
		return
	}
	meter := clock.Real()
	entry := journal.Entry{
		At: a.world.Clock.Now(), Service: "stoa", Method: r.Method, Path: r.URL.Path,
		Target: r.URL.EscapedPath(), Query: r.URL.RawQuery, Host: r.Host, RequestHeader: r.Header,
		Explain: a.world.ExplainCredential,
	}
	start := meter.Now()
	out := &recordedWriter{ResponseWriter: w, draft: draft}
	entry.Operation, entry.Reason = answer(out)
	if entry.Reason != "" {
		entry.Reason += nearest.Path(route.Patterns(a.table()), r.Method, r.URL.Path)
	}
	if n := r.ContentLength; n > 0 && n <= maxUnownedBody && r.Header.Get("Expect") == "" {
		body, err := io.ReadAll(r.Body)
		draft.AddRequest(body)
		if err != nil {
			draft.CutRequest()
		}
	} else if n != 0 {
		draft.CutRequest()
	}
	entry.Duration, entry.Status = meter.Now().Sub(start), out.status
	entry.ResponseHeader = w.Header()
	draft.Finish(&entry)
}

// recordedWriter notes status and body.
type recordedWriter struct {
	http.ResponseWriter
	draft  *journal.Draft // nil when the journal keeps nothing
	status int
	bytes  int64
}

// WriteHeader notes the status.
func (w *recordedWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes what is sent.
func (w *recordedWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	if w.draft != nil {
		w.draft.AddResponse(b[:n])
	}
	return n, err
}

// Unwrap keeps the server's writer within reach of http.ResponseController.
func (w *recordedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

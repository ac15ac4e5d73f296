package app

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// pageTime is how long a reader may take for an answer that no service gives.
const pageTime = 30 * time.Second

// platformPath gives the answers of the platform's own paths a request id, as
// services do theirs. These paths are read only.
func (a *App) platformPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", route.RequestID(r, a.world.IDs))
		w.Header().Set("Cache-Control", "no-store") // what it says is of this moment
		// Writers of tests know no deadlines; they need none.
		_ = http.NewResponseController(w).SetWriteDeadline(clock.Real().Now().Add(pageTime))
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refused := refusedJSON{Error: "method_not_allowed", Message: r.URL.Path + " is read with GET"}
			writeStatus(w, http.StatusMethodNotAllowed, refused)
			return
		}
		a.recorded(w, r, func(w http.ResponseWriter) (operation, reason string) {
			next.ServeHTTP(w, r)
			return strings.TrimPrefix(r.URL.Path, "/"), ""
		})
	})
}

// refusedJSON is the envelope of what no service answers.
type refusedJSON struct {
	Error   string `json:"error"`
	Message string `json:"message"`
}

// handleNotFound answers paths that no service owns, and the root.
func (a *App) handleNotFound(w http.ResponseWriter, r *http.Request) {
	start := a.world.Clock.Now()
	id := route.RequestID(r, a.world.IDs)
	w.Header().Set("X-Request-Id", id)
	a.recorded(w, r, func(w http.ResponseWriter) (operation, reason string) {
		entry := a.answerUnowned(w, r, id, start)
		return entry.Route, entry.Reason
	})
}

// answerUnowned answers and logs.
func (a *App) answerUnowned(w http.ResponseWriter, r *http.Request, id string, start time.Time) telemetry.Entry {
	arrived := clock.Real().Now()
	entry := telemetry.Entry{Time: start, Service: "stoa", Route: "none", Method: r.Method, Path: r.URL.Path, ID: id}
	page := strings.Contains(r.Header.Get("Accept"), "text/html")
	switch {
	case r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		entry.Route = "root"
		entry.Status = a.answerRoot(w, r, page)
	default:
		entry.Status, entry.Reason = http.StatusNotFound, "no service owns this path"
		a.answerNotFound(w, r, page)
	}
	if sent, ok := w.(*recordedWriter); ok {
		entry.Bytes = sent.bytes
	}
	entry.Duration = clock.Real().Now().Sub(arrived) // whatever the world's clock does
	a.world.Telemetry.Record(r.Context(), &entry, r.URL.RawQuery)
	return entry
}

// answerNotFound is short for programs and a small page for browsers.
func (a *App) answerNotFound(w http.ResponseWriter, r *http.Request, browser bool) {
	path := r.URL.Path
	if !browser {
		writeStatus(w, http.StatusNotFound, refusedJSON{
			Error:   "not_found",
			Message: "no service owns " + path + "; /docs/ lists the services",
		})
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusNotFound)
	text := fmt.Appendf(nil, notFoundPage, a.console.Style(), html.EscapeString(path))
	// A client that has gone is not told.
	_, _ = w.Write(address.Page(r.Context(), text))
}

// notFoundPage wears the console's style sheet.
const notFoundPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not found · Stoa</title>
<link rel="icon" type="image/svg+xml" href="/console/icon.svg">
<link rel="stylesheet" href="%s">
</head>
<body class="alone">
<header><a class="mark" href="/console"><span class="columns" aria-hidden="true"><i></i><i></i><i></i><i></i></span>Stoa</a></header>
<main id="main">
<section class="card narrow">
<h1>Not found</h1>
<p>No service owns <code>%s</code>.</p>
<p class="actions"><a class="button" href="/console">The services</a> <a href="/docs/">Documentation</a></p>
</section>
</main>
</body>
</html>
`

func writeStatus(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A client that has gone is not told.
	_ = json.NewEncoder(w).Encode(v)
}

package app

import (
	"html"
	"io"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// withID names the answers of the platform's own paths, as services do theirs.
func (a *App) withID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", route.RequestID(r, a.world.IDs))
		next.ServeHTTP(w, r)
	})
}

type notFoundJSON struct {
	Error   string `json:"error"`
	Message string `json:"message"`
}

// handleNowhere answers paths that no service owns, and the root.
func (a *App) handleNowhere(w http.ResponseWriter, r *http.Request) {
	start := a.world.Clock.Now()
	id := route.RequestID(r, a.world.IDs)
	w.Header().Set("X-Request-Id", id)
	entry := telemetry.Entry{Time: start, Service: "stoa", Route: "none", Method: r.Method, Path: r.URL.Path, ID: id}
	page := strings.Contains(r.Header.Get("Accept"), "text/html")
	switch {
	case r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		entry.Route = "root"
		entry.Status = a.answerRoot(w, page)
	default:
		entry.Status, entry.Reason = http.StatusNotFound, "no service owns this path"
		answerNowhere(w, r.URL.Path, page)
	}
	entry.Duration = a.world.Clock.Now().Sub(start)
	a.world.Telemetry.Record(r.Context(), &entry, r.URL.RawQuery)
}

type rootJSON struct {
	Docs     string            `json:"docs"`
	Console  string            `json:"console"`
	Services []rootServiceJSON `json:"services"`
}

type rootServiceJSON struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Paths []string `json:"paths,omitempty"`
	Docs  string   `json:"docs"`
}

// answerRoot says what is here. A browser is led to the front page.
func (a *App) answerRoot(w http.ResponseWriter, browser bool) (status int) {
	if browser {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Location", "/console")
		w.WriteHeader(http.StatusSeeOther)
		return http.StatusSeeOther
	}
	url := a.URL()
	out := rootJSON{Docs: url + "/docs/", Console: url + "/console"}
	for _, m := range a.Modules() {
		out.Services = append(out.Services, rootServiceJSON{
			Name: m.Name, Title: m.Title, Paths: m.Prefixes, Docs: url + "/docs/services/" + m.Name,
		})
	}
	writeStatus(w, http.StatusOK, out)
	return http.StatusOK
}

// answerNowhere is short for programs and a small page for people.
func answerNowhere(w http.ResponseWriter, path string, browser bool) {
	if !browser {
		writeStatus(w, http.StatusNotFound, notFoundJSON{
			Error:   "not_found",
			Message: "no service owns " + path + "; /docs/ lists the services",
		})
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.WriteHeader(http.StatusNotFound)
	// A client that has gone is not told.
	_, _ = io.WriteString(w, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Not found</title>\n"+
		"<h1>Not found</h1>\n<p>No service owns <code>"+html.EscapeString(path)+"</code>.</p>\n"+
		"<p><a href=\"/docs/\">Documentation</a> · <a href=\"/console\">Console</a></p>\n</html>\n")
}

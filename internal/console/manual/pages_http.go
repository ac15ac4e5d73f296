package manual

import (
	"bytes"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/address"
	"stoa.dev/stoa/internal/platform/wire"
)

// handlePage answers a page, or a file that a page shows.
func (m *Manual) handlePage(w http.ResponseWriter, r *route.Request) error {
	rest := r.PathValue("path")
	if kind := mime.TypeByExtension(path.Ext(rest)); kind != "" && path.Ext(rest) != ".md" {
		return m.writeFile(w, r, rest, kind)
	}
	name := m.file(rest)
	p, err := m.page(name)
	if errors.Is(err, fs.ErrNotExist) {
		return route.ErrNoRoute
	}
	if err != nil {
		return err
	}
	v := view{Title: p.title, Here: r.URL.Path, Contents: m.contents(r.URL.Path), Parts: p.parts, Text: p.html}
	v.File = "docs/" + name + ".md"
	v.Before, v.After = neighbours(v.Contents, pageAddress(name))
	if service, ok := strings.CutPrefix(name, "services/"); ok && m.has("openapi/"+service+".json") {
		v.Reference = "/docs/reference/" + service
	}
	if service, ok := strings.CutPrefix(name, "services/"); ok && m.hasFailures(service) {
		v.Failures = "/docs/faults#" + service
	}
	return m.render(w, r, http.StatusOK, "page", v)
}

// writeFile answers an image or a description as it is.
func (m *Manual) writeFile(w http.ResponseWriter, r *route.Request, name, kind string) error {
	if !fs.ValidPath(name) {
		return route.ErrNoRoute
	}
	content, err := fs.ReadFile(m.files, name)
	if err != nil {
		return route.ErrNoRoute
	}
	if strings.HasPrefix(name, "openapi/") {
		content = describedAt(address.Path(r.Context()), content)
	}
	etag := wire.ETag(content)
	if wire.NotModified(w, r.Request, etag) {
		return nil
	}
	h := w.Header()
	h.Set("ETag", etag)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Content-Type-Options", "nosniff")
	// An image opened by itself may use its own styles and nothing else.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	if strings.HasSuffix(name, ".json") {
		// Editors and generators on other origins read descriptions.
		h.Set("Access-Control-Allow-Origin", "*")
	}
	return wire.WriteBytes(w, r.Request, http.StatusOK, kind, content)
}

// describedAt is a description that names the world's path as its server.
func describedAt(path string, description []byte) []byte {
	return bytes.Replace(description, []byte(`"url": "/"`), []byte(`"url": "`+path+`/"`), 1)
}

func (m *Manual) handleReference(w http.ResponseWriter, r *route.Request) error {
	service := r.PathValue("service")
	for _, s := range m.modules {
		if s.Name != service {
			continue
		}
		if !m.has("openapi/"+service+".json") && !m.has("services/"+service+".md") {
			break
		}
		if !m.has("openapi/" + service + ".json") {
			// A service of another protocol has its operations on its own page.
			http.Redirect(w, r.Request, "/docs/services/"+service, http.StatusSeeOther)
			return nil
		}
		reference, err := m.reference(s)
		if err != nil {
			return err
		}
		return m.render(w, r, http.StatusOK, "reference", view{
			Title: s.Title + ": API reference", Here: r.URL.Path, Contents: m.contents(r.URL.Path), Body: reference,
		})
	}
	return route.ErrNoRoute
}

func (m *Manual) handleAsset(name, kind string) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		return wire.WriteBytes(w, r.Request, http.StatusOK, kind, m.templates().asset(name))
	}
}

// writeError shows every failure as a page.
func (m *Manual) writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, text := http.StatusInternalServerError, "The error was logged with request ID "+r.ID+"."
	var method *route.MethodError
	switch {
	case errors.Is(err, route.ErrNoRoute):
		status, text = http.StatusNotFound, "There is no page at this address. The contents list the pages."
	case errors.As(err, &method):
		status, text = http.StatusMethodNotAllowed, "Pages are read with GET."
	case errors.Is(err, wire.ErrTooLarge):
		status, text = http.StatusRequestEntityTooLarge, "Pages take no body."
	case errors.Is(err, route.ErrUnavailable):
		status, text = http.StatusServiceUnavailable, "Try again in a moment."
	case errors.Is(err, route.ErrDeadline):
		status, text = http.StatusGatewayTimeout, "That took too long. Try again in a moment."
	}
	// Only writing to the connection can fail here, and then the client is gone.
	_ = m.render(w, r, status, "failure", view{Title: http.StatusText(status), Contents: m.contents(""), Body: text})
}

// handleFirst adds the slash that relative addresses need.
func (m *Manual) handleFirst(w http.ResponseWriter, r *route.Request) error {
	w.Header().Set("Location", address.To(r.Context(), "/docs/"))
	w.WriteHeader(http.StatusMovedPermanently)
	return nil
}

package console

import (
	"net/http"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (c *Console) handleScript(w http.ResponseWriter, r *route.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "text/javascript; charset=utf-8", c.templates.Script)
}

func (c *Console) handleStyle(w http.ResponseWriter, r *route.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "text/css; charset=utf-8", c.templates.Style)
}

// handleIcon serves the icon, also at /favicon.ico where browsers look for it.
func (c *Console) handleIcon(w http.ResponseWriter, r *route.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	// An image opened by itself may load nothing.
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "image/svg+xml", c.templates.Icon)
}

// handleDesign shows everything that pages are made of.
func (c *Console) handleDesign(w http.ResponseWriter, r *route.Request, v viewer) error {
	return c.render(w, r, http.StatusOK, "servicepage", v.view("Design", "design", design.Showcase()))
}

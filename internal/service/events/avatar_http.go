package events

import (
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/objects"
)

// handleAvatar draws the picture of avatar_url: a pattern that depends on the number alone,
// so that it does not show which accounts exist. Organizations are numbered apart from
// users, and look different.
func handleAvatar(kind string) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil || id < 0 {
			return route.ErrNoRoute
		}
		h := w.Header()
		h.Set("Content-Type", "image/svg+xml")
		h.Set("Cache-Control", "public, max-age=86400, immutable")
		h.Set("Content-Security-Policy", "default-src 'none'")
		_, err = w.Write([]byte(objects.DrawAvatar(kind, id)))
		return err
	}
}

package articles

import (
	"net/http"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// charge counts the request, by user or else by network. The three headers say what
// is left.
func (s *Service) charge(w http.ResponseWriter, r *route.Request) error {
	window, key := limit.Window{Name: "articles.user", Limit: s.config.UserPerHour, Per: time.Hour}, ""
	if caller := identity.From(r); caller != nil {
		key = strconv.FormatInt(caller.UserID, 10)
	} else {
		window.Name, window.Limit = "articles.anonymous", s.config.AnonymousPerHour
		key = clientaddr.Network(r.Request)
	}
	d, err := s.world.Limits.Take(r.Context(), window, key, 1)
	if d.Limit > 0 {
		w.Header().Set("Rate-Limit", strconv.FormatInt(d.Limit, 10))
		w.Header().Set("Rate-Remaining", strconv.FormatInt(d.Remaining, 10))
		w.Header().Set("Rate-Reset", strconv.FormatInt(d.Reset.Unix(), 10))
	}
	return err
}

package console

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

// requireAdmin is requireSignIn for pages of administrators; for others there is no
// such page.
func (c *Console) requireAdmin(h handler) route.Handler { return c.requireSignIn(c.adminOnly(h)) }

func (c *Console) adminOnly(h handler) handler {
	return func(w http.ResponseWriter, r *route.Request, v viewer) error {
		if !v.user.Admin {
			return route.ErrNoRoute
		}
		return h(w, r, v)
	}
}

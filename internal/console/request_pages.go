package console

import (
	"net/http"

	"stoa.dev/stoa/internal/console/requestpages"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/accessrecheck"
)

func (c *Console) handleRequests(w http.ResponseWriter, r *route.Request, v viewer) error {
	page, err := c.requestPages.List(r)
	return c.showRequests(w, r, v, page, err)
}

// handleRequestStream ends when the session does, or the user is no administrator any more.
func (c *Console) handleRequestStream(w http.ResponseWriter, r *route.Request, _ viewer) error {
	return c.requestPages.Stream(w, r, func() error {
		v, err := c.viewer(r)
		if isAnonymous(err) || err == nil && !v.user.Admin {
			return accessrecheck.ErrLost
		}
		return err
	})
}

func (c *Console) handleRequest(w http.ResponseWriter, r *route.Request, v viewer) error {
	page, err := c.requestPages.One(r, identity.FormToken(v.secret))
	return c.showRequests(w, r, v, page, err)
}

func (c *Console) handleSendAgain(w http.ResponseWriter, r *route.Request, v viewer) error {
	page, err := c.requestPages.SendAgain(r, v.form, identity.FormToken(v.secret))
	return c.showRequests(w, r, v, page, err)
}

func (c *Console) showRequests(
	w http.ResponseWriter, r *route.Request, v viewer, page requestpages.Page, err error,
) error {
	switch {
	case err != nil:
		return err
	case page.Redirect != "":
		return redirect(w, r, page.Redirect)
	}
	return c.render(w, r, http.StatusOK, "servicepage", v.view(page.Title, "requests", page.HTML))
}

package console

import (
	"errors"
	"net/http"
	"net/url"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

// pageHandler puts a service's page into the console's layout. Errors are the
// service's to answer.
func (c *Console) pageHandler(makePage identity.PageFunc) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		v, err := c.viewer(r)
		anonymous := isAnonymous(err)
		if err != nil && !anonymous {
			return err
		}
		var user *identity.User
		if !anonymous {
			user = &v.user
		}
		page, err := makePage(r, user)
		if errors.Is(err, identity.ErrSignIn) && anonymous {
			return redirect(w, r, signInURL(r))
		}
		if err != nil {
			return err
		}
		framed := view{
			Title: page.Title, Body: design.Reachable(page.HTML), Current: r.URL.RequestURI(), Wide: true, Indexed: page.Indexed,
			externalImages: page.ExternalImages,
		}
		if !anonymous {
			framed.User, framed.Form = user, identity.FormToken(v.secret)
		}
		return c.render(w, r, http.StatusOK, "servicepage", framed)
	}
}

// signInURL leads back to the page of the request.
func signInURL(r *route.Request) string {
	return "/console/sign-in?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}

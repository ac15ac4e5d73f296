package console

import (
	"errors"
	"net/http"
	"net/url"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

// show puts a service's page into the frame. Errors are the service's to answer.
func (c *Console) show(make identity.MakePage) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		v, err := c.visitor(r)
		if err != nil && !isStranger(err) {
			return err
		}
		known := err == nil
		var user *identity.User
		if known {
			user = &v.user
		}
		sheet, err := make(r, user)
		if errors.Is(err, identity.ErrSignIn) && !known {
			return redirect(w, r, "/console/sign-in?"+url.Values{"next": {r.URL.RequestURI()}}.Encode())
		}
		if err != nil {
			return err
		}
		page := view{Title: sheet.Title, Body: sheet.Main, Here: r.URL.RequestURI(), Wide: true, Listed: sheet.Listed, pictures: sheet.Pictures}
		if known {
			page.User, page.Form = user, identity.FormToken(v.secret)
		}
		return c.render(w, r, http.StatusOK, "sheet", page)
	}
}

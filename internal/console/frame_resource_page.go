package console

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/console/administration"
	"stoa.dev/stoa/internal/console/dashboards"
	"stoa.dev/stoa/internal/console/resourcepages"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

// resourcePage frames a page about what services hold.
func (c *Console) resourcePage(makePage func(resourcepages.Visit) (resourcepages.Page, error)) handler {
	return func(w http.ResponseWriter, r *route.Request, v viewer) error {
		page, err := makePage(resourcepages.Visit{
			Request: r, User: v.user, Form: identity.FormToken(v.secret), Values: v.form, Files: v.files,
		})
		switch {
		case err != nil:
			return err
		case page.Redirect != "":
			return redirect(w, r, page.Redirect)
		}
		section := "data " + r.PathValue("service")
		switch {
		case r.PathValue("service") == administration.Name:
			section = "admin " + r.PathValue("resource")
		case strings.HasPrefix(r.URL.Path, dashboards.Base), r.URL.Path == dashboards.Explore:
			section = "dashboards"
		case r.URL.Path == dashboards.Server:
			section = "admin metrics"
		}
		framed := v.view(page.Title, section, page.HTML)
		framed.externalImages = page.Images
		return c.render(w, r, page.Status, "servicepage", framed)
	}
}

package console

import (
	"net/http"

	"stoa.dev/stoa/internal/console/labpages"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

func (c *Console) labControl() (http.Handler, string) {
	a := c.around.Load()
	return a.Lab, a.LabWorld
}

// labBar is what every page of a lab's world shows to administrators.
func (c *Console) labBar(r *route.Request, u identity.User) *labpages.Bar {
	if !u.Admin {
		return nil
	}
	return c.labPages.Bar(r)
}

// labPage frames a page about the lab.
func (c *Console) labPage(makePage func(labpages.Visit) (labpages.Page, error)) handler {
	return func(w http.ResponseWriter, r *route.Request, v viewer) error {
		page, err := makePage(labpages.Visit{Request: r, Form: identity.FormToken(v.secret), Values: v.form})
		switch {
		case err != nil:
			return err
		case page.Redirect != "":
			return redirect(w, r, page.Redirect)
		}
		return c.render(w, r, page.Status, "servicepage", v.view(page.Title, "lab "+page.Name, page.HTML))
	}
}

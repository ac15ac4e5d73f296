package console

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/console/administration"
	"stoa.dev/stoa/internal/console/dashboards"
	"stoa.dev/stoa/internal/console/labpages"
	"stoa.dev/stoa/internal/console/requestpages"
	"stoa.dev/stoa/internal/console/resourcepages"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

// menuGroup is a part of the menu.
type menuGroup struct {
	Title string
	Links []menuLink
}

type menuLink struct {
	Title, URL, section string
	Current             bool
}

// menu is the way to all pages that the user may see. section is where the page is.
func (c *Console) menu(u identity.User, section string) []menuGroup {
	groups := []menuGroup{{Links: []menuLink{{Title: "Services", URL: "/console", section: "home"}}}}
	if u.Admin {
		groups[0].Links = append(groups[0].Links, menuLink{Title: "Requests", URL: requestpages.Base, section: "requests"})
		if _, world := c.labControl(); world != "" {
			groups = append(groups, menuGroup{"Lab", labLinks()})
		}
	}
	data := menuGroup{Title: "Data"}
	for _, link := range c.resources.Links(u) {
		if link.Service != administration.Name {
			data.Links = append(data.Links, menuLink{Title: link.Title, URL: link.URL, section: "data " + link.Service})
		}
	}
	if c.dashboards.Offered() {
		data.Links = append(data.Links, menuLink{Title: "Dashboards", URL: dashboards.Base, section: "dashboards"})
	}
	groups = append(groups, data, menuGroup{"Account", []menuLink{
		{Title: "Connect a device", URL: "/device", section: "connect"},
		{Title: "Access tokens", URL: "/console/tokens", section: "tokens"},
		{Title: "Applications", URL: "/console/applications", section: "applications"},
		{Title: "Sessions", URL: "/console/sessions", section: "sessions"},
		{Title: "Password", URL: "/console/password", section: "password"},
	}})
	if u.Admin {
		admin := menuGroup{Title: "Administration"}
		for _, r := range administration.Module().Resources {
			admin.Links = append(admin.Links, menuLink{
				Title: r.Title, URL: resourcepages.Base + "/" + administration.Name + "/" + r.Name, section: "admin " + r.Name,
			})
		}
		for _, p := range administration.Links() {
			admin.Links = append(admin.Links, menuLink{Title: p.Title, URL: p.URL, section: "admin " + p.Name})
		}
		if c.dashboards.Offered() {
			admin.Links = append(admin.Links, menuLink{
				Title: "Server metrics", URL: dashboards.Server, section: "admin metrics",
			})
		}
		groups = append(groups, admin)
	}
	groups = append(groups, menuGroup{"Help", []menuLink{
		{Title: "Documentation", URL: "/docs/"}, {Title: "Design", URL: "/console/design", section: "design"},
	}})
	for _, g := range groups {
		for i := range g.Links {
			g.Links[i].Current = g.Links[i].section == section
		}
	}
	return groups
}

func labLinks() []menuLink {
	var links []menuLink
	for _, p := range labpages.Links() {
		links = append(links, menuLink{Title: p.Title, URL: p.URL, section: "lab " + p.Name})
	}
	return links
}

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

func (c *Console) handleRequests(w http.ResponseWriter, r *route.Request, v viewer) error {
	page, err := c.requestPages.List(r)
	return c.showRequests(w, r, v, page, err)
}

func (c *Console) handleRequestStream(w http.ResponseWriter, r *route.Request, _ viewer) error {
	return c.requestPages.Stream(w, r)
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
		if err == nil && r.Method == http.MethodPost {
			v, err = c.afterMove(w, r, v)
		}
		switch {
		case err != nil:
			return err
		case page.Redirect != "":
			return redirect(w, r, page.Redirect)
		}
		return c.render(w, r, page.Status, "servicepage", v.view(page.Title, "lab "+page.Name, page.HTML))
	}
}

// afterMove keeps who has moved the clock signed in: sessions end by the world's clock,
// and a month is longer than they last. All others have ended.
func (c *Console) afterMove(w http.ResponseWriter, r *route.Request, v viewer) (viewer, error) {
	if now := c.world.Clock.Now(); now.Before(v.session.ExpiresAt) {
		return v, nil
	}
	secret, err := c.startSession(w, r, v.user.ID)
	if err == nil {
		v.secret = secret
	}
	return v, err
}

// handleAdministration shows a page about the installation.
func (c *Console) handleAdministration(w http.ResponseWriter, r *route.Request, v viewer) error {
	around := c.around.Load()
	name := r.PathValue("page")
	page, err := administration.Show(r.Context(), name, administration.Facts{
		World: c.world, Modules: c.modules, Settings: around.Settings, Version: around.Version, Query: r.Query(),
		Elsewhere: around.Elsewhere, Restore: around.Restore, Form: identity.FormToken(v.secret),
	})
	if err != nil {
		return err
	}
	return c.render(w, r, http.StatusOK, "servicepage", v.view(page.Title, "admin "+name, page.HTML))
}

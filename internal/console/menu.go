package console

import (
	"stoa.dev/stoa/internal/console/administration"
	"stoa.dev/stoa/internal/console/dashboards"
	"stoa.dev/stoa/internal/console/labpages"
	"stoa.dev/stoa/internal/console/requestpages"
	"stoa.dev/stoa/internal/console/resourcepages"
	"stoa.dev/stoa/internal/identity"
)

// menuGroup is a part of the menu.
type menuGroup struct {
	Title string
	Links []menuLink
	// Open groups show their links: those that most go to, and where the page is.
	Open bool
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
			groups = append(groups, menuGroup{Title: "Lab", Links: labLinks(), Open: true})
		}
	}
	data := menuGroup{Title: "Data", Open: true}
	for _, link := range c.resources.Links(u) {
		if link.Service != administration.Name {
			data.Links = append(data.Links, menuLink{Title: link.Title, URL: link.URL, section: "data " + link.Service})
		}
	}
	if c.dashboards.Offered() {
		data.Links = append(data.Links, menuLink{Title: "Dashboards", URL: dashboards.Base, section: "dashboards"})
	}
	groups = append(groups, data, menuGroup{Title: "Account", Links: []menuLink{
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
	groups = append(groups, menuGroup{Title: "Help", Links: []menuLink{
		{Title: "Documentation", URL: "/docs/"}, {Title: "Design", URL: "/console/design", section: "design"},
	}})
	for n := range groups {
		for i := range groups[n].Links {
			link := &groups[n].Links[i]
			link.Current = link.section == section
			groups[n].Open = groups[n].Open || link.Current
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

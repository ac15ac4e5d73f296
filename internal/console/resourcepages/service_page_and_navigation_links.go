package resourcepages

import (
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
)

// Link is an entry of the navigation.
type Link struct{ Service, Title, URL string }

// Links are the services that have something to show to the user.
func (p *Pages) Links(u identity.User) []Link {
	var links []Link
	for _, m := range p.o.Modules {
		for _, r := range m.Resources {
			if r.In == "" && (!r.Admin || u.Admin) {
				links = append(links, Link{m.Name, m.Title, Base + "/" + m.Name})
				break
			}
		}
	}
	return links
}

// Service is the page of all resources of one service.
func (p *Pages) Service(v Visit) (Page, error) {
	m, ok := p.module(v.Request.PathValue("service"))
	if !ok {
		return Page{}, route.ErrNoRoute
	}
	var tops []resource.Resource
	for _, r := range m.Resources {
		if r.In == "" && (!r.Admin || v.User.Admin) {
			tops = append(tops, r)
		}
	}
	switch len(tops) {
	case 0:
		return Page{}, route.ErrNoRoute
	case 1:
		return Page{Redirect: Base + "/" + m.Name + "/" + tops[0].Name}, nil
	}
	return p.render("service", m.Title, struct {
		Module module.Module
		Base   string
		List   []resource.Resource
		Admin  bool
	}{m, Base + "/" + m.Name, tops, v.User.Admin})
}

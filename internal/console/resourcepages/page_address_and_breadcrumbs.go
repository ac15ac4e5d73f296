package resourcepages

import (
	"cmp"
	"net/url"
	"time"

	"stoa.dev/stoa/internal/console/drawing"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// place is what the address of a page names.
type place struct {
	module   module.Module
	resource resource.Resource
	byName   map[string]resource.Resource
	// names are what the things that the page lies in are called, by resource.
	names map[string]string
	// zone is that of all times on the page.
	zone *time.Location
	// base is the address of this world as the reader knows it.
	base string
}

// at finds the resource of the address; those of administrators are not there for
// others.
func (p *Pages) at(v Visit) (place, error) {
	m, ok := p.module(v.Request.PathValue("service"))
	if !ok {
		return place{}, route.ErrNoRoute
	}
	at := place{module: m, byName: map[string]resource.Resource{}, names: map[string]string{}, zone: time.UTC}
	at.base = p.o.URL(v.Request.Context())
	for _, r := range m.Resources {
		if !r.Admin || v.User.Admin {
			at.byName[r.Name] = r
		}
	}
	at.resource, ok = at.byName[v.Request.PathValue("resource")]
	if !ok {
		return place{}, route.ErrNoRoute
	}
	p.readOuter(v, &at)
	return at, nil
}

// readOuter reads the things that the page lies in, for their names and for the zone.
// One that cannot be read is called by its key.
func (p *Pages) readOuter(v Visit, at *place) {
	values := v.Request.Query()
	for _, r := range at.top() {
		if r.Name == at.resource.Name || !r.NamesInner {
			continue
		}
		outer := *at
		outer.resource = r
		a, item, err := p.read(v, outer, values)
		if err != nil || a.failed() {
			continue
		}
		if name, _ := wire.Lookup(item, r.Label); textOf(name) != "" {
			at.names[r.Name] = drawing.Clip(textOf(name), 48)
		}
		if c := at.resource.Calendar; c != nil && c.Zone != "" && r.Name == at.resource.In {
			name, _ := wire.Lookup(item, c.Zone)
			if zone, err := time.LoadLocation(textOf(name)); err == nil && textOf(name) != "" {
				at.zone = zone
			}
		}
	}
}

func (p *Pages) module(name string) (module.Module, bool) {
	for _, m := range p.o.Modules {
		if m.Name == name && len(m.Resources) > 0 {
			return m, true
		}
	}
	return module.Module{}, false
}

func (at place) url() string { return Base + "/" + at.module.Name + "/" + at.resource.Name }

// top is the resource and what it lies in, outermost first.
func (at place) top() []resource.Resource {
	var chain []resource.Resource
	for r := at.resource; ; r = at.byName[r.In] {
		chain = append([]resource.Resource{r}, chain...)
		if r.In == "" || len(chain) > len(at.byName) {
			return chain
		}
	}
}

// crumb leads back to what a page lies in.
type crumb struct{ Title, URL string }

// crumbs are the way from the service to the page.
func (at place) crumbs(values url.Values) []crumb {
	list := []crumb{{at.module.Title, Base + "/" + at.module.Name}}
	known := url.Values{}
	for _, r := range at.top() {
		base := Base + "/" + at.module.Name + "/" + r.Name
		list = append(list, crumb{r.Title, withQuery(base, known)})
		if r.Name == at.resource.Name {
			break
		}
		for _, k := range r.Key {
			known.Set(k.Parameter, values.Get(k.Parameter))
		}
		list = append(list, crumb{cmp.Or(at.names[r.Name], labelOf(r, known)), withQuery(base+"/item", known)})
	}
	return list
}

func withQuery(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

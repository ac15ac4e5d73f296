package resourcepages

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"sync"
	"time"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/console/drawing"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

//go:embed templates/*.html
var files embed.FS

// Base is the address that the pages lie below.
const Base = "/console/data"

// Options are what the pages are made of.
type Options struct {
	Modules []module.Module
	// Commands are the operator's, for resources that name one.
	Commands func() []module.Command
	// Credential speaks for a user to a service.
	Credential func(u identity.User, service string) string
	Clock      clock.Clock
	// URL is the address of this world as the reader knows it.
	URL func(context.Context) string
	// Dir is where files for commands are written while they run.
	Dir string
}

// Pages makes the pages.
type Pages struct {
	o         Options
	templates *template.Template
}

// New makes the pages of all resources.
func New(o Options) *Pages { return &Pages{o: o, templates: parsed()} }

// parsed are immutable and the same in all worlds of a process.
var parsed = sync.OnceValue(func() *template.Template {
	t := template.New("resources").Funcs(design.Functions())
	return template.Must(t.ParseFS(files, "templates/*.html"))
})

// Visit is a request of a signed-in user. Form is the token for forms of the page,
// Values what was sent.
type Visit struct {
	Request *route.Request
	User    identity.User
	Form    string
	Values  url.Values
	// Files are the contents of those that came with a form.
	Files map[string][]byte
}

// Page is the content of a page, or where to go instead.
type Page struct {
	Title    string
	HTML     template.HTML
	Status   int
	Redirect string
	// Images lets the page show pictures from anywhere, as a preview does.
	Images bool
}

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

// render runs a template.
func (p *Pages) render(name, title string, data any) (Page, error) {
	var out bytes.Buffer
	if err := p.templates.ExecuteTemplate(&out, name, data); err != nil {
		return Page{}, err
	}
	//nolint:gosec // html/template escaped it
	return Page{Title: title, HTML: template.HTML(out.String()), Status: http.StatusOK}, nil
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

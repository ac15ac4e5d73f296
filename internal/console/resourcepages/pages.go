package resourcepages

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"sync"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
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

// render runs a template.
func (p *Pages) render(name, title string, data any) (Page, error) {
	var out bytes.Buffer
	if err := p.templates.ExecuteTemplate(&out, name, data); err != nil {
		return Page{}, err
	}
	//nolint:gosec // html/template escaped it
	return Page{Title: title, HTML: template.HTML(out.String()), Status: http.StatusOK}, nil
}

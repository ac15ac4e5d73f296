package requestpages

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"net/http"
	"sync"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/module"
)

//go:embed templates/*.html
var files embed.FS

// Base is the address that the pages lie below.
const Base = "/console/requests"

// rowsPerPage is how many requests one page lists.
const rowsPerPage = 50

// maxLooked bounds how many records one page looks at.
const maxLooked = 100_000

// Options are what the pages are made of.
type Options struct {
	Journal *journal.Journal
	// Services are the names to choose from; Own are those whose requests are left out
	// unless they are asked for.
	Services []string
	Own      []string
	// Examples are the first calls of services: they name the variables of credentials.
	Examples map[string]module.Example
	// URL is the address of this world as the reader knows it.
	URL func(context.Context) string
	// Handler answers a request that is sent again.
	Handler func() http.Handler
}

// Pages makes the pages.
type Pages struct {
	o         Options
	templates *template.Template
}

// New makes the pages.
func New(o Options) *Pages { return &Pages{o: o, templates: parsed()} }

// parsed are immutable and the same in all worlds of a process.
var parsed = sync.OnceValue(func() *template.Template {
	t := template.New("requests").Funcs(design.Functions())
	return template.Must(t.ParseFS(files, "templates/*.html"))
})

// Page is the content of a page, or where to go instead.
type Page struct {
	Title    string
	HTML     template.HTML
	Redirect string
}

func (p *Pages) render(name, title string, data any) (Page, error) {
	var out bytes.Buffer
	if err := p.templates.ExecuteTemplate(&out, name, data); err != nil {
		return Page{}, err
	}
	return Page{Title: title, HTML: template.HTML(out.String())}, nil //nolint:gosec // html/template escaped it
}

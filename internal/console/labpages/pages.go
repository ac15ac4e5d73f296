package labpages

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"sync"
	"time"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

//go:embed templates/*.html
var files embed.FS

// Base is the address that the pages lie below.
const Base = "/console/lab"

// Options are what the pages are made of.
type Options struct {
	// Control is the control API for who has the lab's token, and the world's name;
	// nil and empty without a lab.
	Control func() (http.Handler, string)
	Clock   clock.Clock
	// JobKinds are the kinds of background jobs, for rules about them; nil means none.
	JobKinds func() []jobs.Registration
}

// Pages makes the pages.
type Pages struct {
	o         Options
	templates *template.Template
	moves     recentMoves
}

// New makes the pages.
func New(o Options) *Pages { return &Pages{o: o, templates: parsed()} }

// parsed are immutable and the same in all worlds of a process.
var parsed = sync.OnceValue(func() *template.Template {
	t := template.New("lab").Funcs(design.Functions())
	return template.Must(t.ParseFS(files, "templates/*.html"))
})

// Link is an entry of the navigation.
type Link struct{ Name, Title, URL string }

// Links are the pages.
func Links() []Link {
	return []Link{
		{"worlds", "Worlds", Base}, {"clock", "Clock", Base + "/clock"}, {"faults", "Faults", Base + "/faults"},
		{"inbox", "Inbox", Base + "/inbox"}, {"conduct", "Conduct", Base + "/conduct"},
		{"audit", "Lab audit trail", Base + "/audit"},
	}
}

// rootWorld is the world that the lab serves at its own address.
const rootWorld = "default"

// Visit is a request of a signed-in administrator.
type Visit struct {
	Request *route.Request
	Form    string
	Values  url.Values
}

// seesOthers reports whether a visit is about all worlds of the lab: one of the world at the lab's own address, from
// this machine. All other visits see their own world.
func (v Visit) seesOthers(own string) bool {
	return own == rootWorld && clientaddr.Loopback(v.Request.Request)
}

// Page is the content of a page, or where to go instead.
type Page struct {
	Name, Title string
	HTML        template.HTML
	Status      int
	Redirect    string
}

// Bar is what every page shows.
type Bar struct {
	World  string
	Mode   string
	Now    time.Time
	Faults int
}

// Bar is nil without a lab, and when the lab does not answer.
func (p *Pages) Bar(r *route.Request) *Bar {
	_, world := p.o.Control()
	if world == "" {
		return nil
	}
	var c clockState
	var f faultList
	err := errors.Join(p.ask(r.Context(), "GET", "/worlds/"+world+"/clock", nil, &c),
		p.ask(r.Context(), "GET", "/worlds/"+world+"/faults", nil, &f))
	if err != nil {
		return nil
	}
	return &Bar{World: world, Mode: c.Mode, Now: c.Now, Faults: len(f.Faults)}
}

func (p *Pages) render(name, title string, data any) (Page, error) {
	var out bytes.Buffer
	if err := p.templates.ExecuteTemplate(&out, name, data); err != nil {
		return Page{}, err
	}
	page := Page{Name: name, Title: title, Status: http.StatusOK}
	page.HTML = template.HTML(out.String()) //nolint:gosec // html/template escaped it
	return page, nil
}

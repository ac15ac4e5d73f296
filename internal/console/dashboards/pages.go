package dashboards

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/console/resourcepages"
	"stoa.dev/stoa/internal/platform/route"
)

//go:embed templates/*.html
var files embed.FS

// The addresses of the pages.
const (
	Base    = "/console/dashboards"
	Explore = "/console/graphs"
	Server  = "/console/administration/metrics"
)

// parsed are immutable and the same in all worlds of a process.
var parsed = sync.OnceValue(func() *template.Template {
	t := template.New("dashboards").Funcs(design.Functions())
	return template.Must(t.ParseFS(files, "templates/*.html"))
})

// Pages makes the pages.
type Pages struct {
	store  *Store
	drawer *resourcepages.Pages
}

// New makes pages about what the store keeps, drawn by the services' own calls.
func New(s *Store, drawer *resourcepages.Pages) *Pages { return &Pages{store: s, drawer: drawer} }

// Offered reports whether a service draws.
func (p *Pages) Offered() bool {
	_, ok := p.drawer.Draws()
	return ok
}

// drawnGraph is a graph with its picture.
type drawnGraph struct {
	Graph
	Drawn   resourcepages.Drawn
	Span    string
	Explore string
}

// draw draws a graph; title is what the picture says above it, empty where the page does.
func (p *Pages) draw(v resourcepages.Visit, g Graph, title string) (drawnGraph, error) {
	span, ok := spanOf(g.Span)
	if !ok {
		span = spans()[2]
	}
	drawn, err := p.drawer.Draw(v, title, g.Query, span.Length)
	values := url.Values{"query": {g.Query}, "span": {span.Name}}
	if g.Title != "" {
		values.Set("title", g.Title)
	}
	return drawnGraph{Graph: g, Drawn: drawn, Span: span.Title, Explore: Explore + "?" + values.Encode()}, err
}

// await waits until graphs are drawn.
func (p *Pages) await(v resourcepages.Visit, graphs ...drawnGraph) error {
	var pictures []string
	for _, g := range graphs {
		if g.Drawn.URL != "" {
			pictures = append(pictures, g.Drawn.URL)
		}
	}
	return p.drawer.Await(v, pictures)
}

// exploreBody is the page that draws one query.
type exploreBody struct {
	Graph      Graph
	Spans      []Span
	Drawn      *drawnGraph
	Dashboards []Dashboard
	// Chosen is the dashboard that the reader came from; without one the first is.
	Chosen  string
	Form    string
	Example string
	Problem string
}

// Explore draws the query of the address, and offers to put it on a dashboard.
func (p *Pages) Explore(v resourcepages.Visit) (resourcepages.Page, error) {
	values := v.Request.Query()
	return p.explore(v, Graph{
		Title: values.Get("title"), Query: strings.TrimSpace(values.Get("query")), Span: values.Get("span"),
	}, "")
}

func (p *Pages) explore(v resourcepages.Visit, g Graph, problem string) (resourcepages.Page, error) {
	graph, ok := p.drawer.Draws()
	if !ok {
		return resourcepages.Page{}, route.ErrNoRoute
	}
	if _, ok := spanOf(g.Span); !ok {
		g.Span = "1d"
	}
	body := exploreBody{Graph: g, Spans: spans(), Form: v.Form, Example: graph.Example, Problem: problem,
		Chosen: cmp.Or(v.Values.Get("dashboard"), v.Request.Query().Get("dashboard"))}
	var err error
	if body.Dashboards, err = p.store.List(v.Request.Context(), v.User.ID); err != nil {
		return resourcepages.Page{}, err
	}
	if g.Query != "" {
		drawn, err := p.draw(v, g, g.Title)
		if err != nil {
			return resourcepages.Page{}, err
		}
		body.Drawn = &drawn
		if err := p.await(v, drawn); err != nil {
			return resourcepages.Page{}, err
		}
	}
	return render("explore", "Explore metrics", body)
}

// Keep puts the graph of a form on the chosen dashboard, or on a new one if it has a title.
func (p *Pages) Keep(v resourcepages.Visit) (resourcepages.Page, error) {
	ctx, id := v.Request.Context(), v.Values.Get("dashboard")
	g := Graph{Title: v.Values.Get("title"), Query: v.Values.Get("query"), Span: v.Values.Get("span")}
	var err error
	if title := v.Values.Get("new"); title != "" || id == "" {
		var d Dashboard
		d, err = p.store.Make(ctx, v.User.ID, title)
		id = d.ID
	}
	if err == nil {
		err = p.store.Add(ctx, v.User.ID, id, g)
	}
	var problem *Problem
	if errors.As(err, &problem) {
		page, err := p.explore(v, g, problem.Text)
		page.Status = http.StatusBadRequest
		return page, err
	}
	return resourcepages.Page{Redirect: Base + "/" + url.PathEscape(id)}, err
}

// listBody is the page of all dashboards.
type listBody struct {
	Dashboards []Dashboard
	Form       string
	Problem    string
	Admin      bool
}

// List is the page of the user's dashboards.
func (p *Pages) List(v resourcepages.Visit) (resourcepages.Page, error) { return p.list(v, "") }

func (p *Pages) list(v resourcepages.Visit, problem string) (resourcepages.Page, error) {
	list, err := p.store.List(v.Request.Context(), v.User.ID)
	if err != nil {
		return resourcepages.Page{}, err
	}
	return render("list", "Dashboards", listBody{list, v.Form, problem, v.User.Admin})
}

// Make makes a dashboard and goes to it.
func (p *Pages) Make(v resourcepages.Visit) (resourcepages.Page, error) {
	d, err := p.store.Make(v.Request.Context(), v.User.ID, v.Values.Get("title"))
	var problem *Problem
	if errors.As(err, &problem) {
		page, err := p.list(v, problem.Text)
		page.Status = http.StatusBadRequest
		return page, err
	}
	return resourcepages.Page{Redirect: Base + "/" + url.PathEscape(d.ID)}, err
}

// oneBody is a dashboard with its pictures.
type oneBody struct {
	Dashboard Dashboard
	Graphs    []drawnGraph
	Form      string
	Lead      string
}

// One is the page of a dashboard.
func (p *Pages) One(v resourcepages.Visit) (resourcepages.Page, error) {
	d, graphs, err := p.store.Get(v.Request.Context(), v.User.ID, v.Request.PathValue("id"))
	if err != nil {
		return resourcepages.Page{}, err
	}
	return p.show(v, oneBody{Dashboard: d, Form: v.Form}, graphs)
}

func (p *Pages) show(v resourcepages.Visit, body oneBody, graphs []Graph) (resourcepages.Page, error) {
	for _, g := range graphs {
		drawn, err := p.draw(v, g, "")
		if err != nil {
			return resourcepages.Page{}, err
		}
		body.Graphs = append(body.Graphs, drawn)
	}
	if err := p.await(v, body.Graphs...); err != nil {
		return resourcepages.Page{}, err
	}
	return render("one", body.Dashboard.Title, body)
}

// Remove takes a graph off a dashboard.
func (p *Pages) Remove(v resourcepages.Visit) (resourcepages.Page, error) {
	id := v.Request.PathValue("id")
	err := p.store.Remove(v.Request.Context(), v.User.ID, id, v.Request.PathValue("graph"))
	return resourcepages.Page{Redirect: Base + "/" + url.PathEscape(id)}, err
}

// Delete deletes a dashboard.
func (p *Pages) Delete(v resourcepages.Visit) (resourcepages.Page, error) {
	err := p.store.Delete(v.Request.Context(), v.User.ID, v.Request.PathValue("id"))
	return resourcepages.Page{Redirect: Base}, err
}

// serverGraphs are the server's own metrics that an operator looks at first.
func serverGraphs() []Graph {
	list := []Graph{
		{Title: "Requests per second", Query: "sum:stoa.http_requests_total{*}.as_rate()"},
		{Title: "Memory", Query: "avg:stoa.process_resident_memory_bytes{*}"},
		{Title: "Processor seconds per second", Query: "sum:stoa.process_cpu_seconds_total{*}.as_rate()"},
		{Title: "Commits per second", Query: "sum:stoa.database_commits_total{*}.as_rate()"},
		{Title: "Transactions that wait", Query: "avg:stoa.database_queued{*}"},
		{Title: "Job attempts", Query: "sum:stoa.job_attempts_total{*}.as_count()"},
		{Title: "Goroutines", Query: "avg:stoa.go_goroutines{*}"},
		{Title: "Open files", Query: "avg:stoa.process_open_fds{*}"},
	}
	for i := range list {
		list[i].Span = "1h"
	}
	return list
}

// Server is the page of the server's own metrics, for administrators.
func (p *Pages) Server(v resourcepages.Visit) (resourcepages.Page, error) {
	if !p.Offered() {
		return resourcepages.Page{}, route.ErrNoRoute
	}
	return p.show(v, oneBody{
		Dashboard: Dashboard{Title: "Server metrics"},
		Lead: "What this server counts about itself; snapshots.own_metrics says how often. Every metric begins with stoa. " +
			"and can be drawn and kept like others.",
	}, serverGraphs())
}

func render(name, title string, data any) (resourcepages.Page, error) {
	var out bytes.Buffer
	if err := parsed().ExecuteTemplate(&out, name, data); err != nil {
		return resourcepages.Page{}, err
	}
	//nolint:gosec // html/template escaped it
	return resourcepages.Page{Title: title, HTML: template.HTML(out.String()), Status: http.StatusOK}, nil
}

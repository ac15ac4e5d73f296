package resourcepages

import (
	"net/url"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// Drawn is a picture of a query, or why there is none.
type Drawn struct {
	URL     string
	Problem string
	Call    Shown
}

// Draws finds the action of a service that draws queries.
func (p *Pages) Draws() (resource.Graph, bool) {
	_, a, ok := p.drawing()
	if !ok {
		return resource.Graph{}, false
	}
	return *a.Graph, true
}

func (p *Pages) drawing() (module.Module, resource.Action, bool) {
	for _, m := range p.o.Modules {
		for _, r := range m.Resources {
			for _, a := range r.Actions {
				if a.Graph != nil {
					return m, a, true
				}
			}
		}
	}
	return module.Module{}, resource.Action{}, false
}

// Draw draws a query over the time before now, as a call of the user.
func (p *Pages) Draw(v Visit, title, query string, span time.Duration) (Drawn, error) {
	m, a, ok := p.drawing()
	if !ok {
		return Drawn{}, route.ErrNoRoute
	}
	now := p.o.Clock.Now()
	in := input{values: url.Values{}, query: url.Values{
		a.Graph.Query: {query}, a.Graph.Start: {strconv.FormatInt(now.Add(-span).Unix(), 10)},
		a.Graph.End: {strconv.FormatInt(now.Unix(), 10)},
	}}
	if title != "" {
		in.query.Set(a.Graph.Title, title)
	}
	got, err := p.do(v, m, a.Call, in)
	if err != nil {
		return Drawn{}, err
	}
	out := Drawn{Call: got.Call}
	if got.failed() {
		out.Problem = errorText(got)
		return out, nil
	}
	value, _ := wire.Lookup(got.Value, a.Picture)
	out.URL = textOf(value)
	return out, nil
}

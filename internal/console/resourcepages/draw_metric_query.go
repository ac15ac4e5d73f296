package resourcepages

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
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

// Await waits a while until the pictures are drawn, so that a page shows them at once,
// with a script or without.
func (p *Pages) Await(v Visit, pictures []string) error {
	m, _, ok := p.drawing()
	if !ok {
		return nil
	}
	pause := firstPause
	for _, picture := range pictures {
		u, err := url.Parse(picture)
		if err != nil {
			continue
		}
		for ; pause < longestPause; pause *= 2 {
			a, err := p.send(v, m, http.MethodGet, u.RequestURI(), nil)
			if err != nil {
				return err
			}
			if a.Status != http.StatusAccepted {
				break
			}
			if err := clock.Sleep(v.Request.Context(), clock.Real(), pause); err != nil {
				return err
			}
		}
	}
	return nil
}

// The pauses between looks at a picture that is being drawn; all pictures of a page are
// waited for about two seconds in all.
const (
	firstPause   = 30 * time.Millisecond
	longestPause = 2 * time.Second
)

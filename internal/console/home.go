package console

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/telemetry"
	"stoa.dev/stoa/internal/platform/wire"
)

const (
	// checkTime bounds the question how the services are.
	checkTime = 2 * time.Second
	// shownRequests is how many of the last requests the front page lists.
	shownRequests = 40
)

// homeBody is the front page: the services, and for administrators the last
// requests.
type homeBody struct {
	URL      string
	Services []serviceRow
	// Troubled is how many services cannot do their work.
	Troubled int
	// Requests is nil for those who may not see them.
	Requests *requestList
	Script   string
}

// serviceRow is one service as the front page shows it.
type serviceRow struct {
	Letter, Name, Title string
	// Base is where its addresses begin; More is how many other beginnings it has.
	Base string
	More int
	// Page and Reference are its documentation.
	Page, Reference string
	Trouble         string
}

// requestList is the last requests, newest first.
type requestList struct{ Rows []requestRow }

type requestRow struct {
	Time, Service, Method, Path, Status, Kind, Reason, Took, Caller, ID string
}

// handleHome is the front page. Strangers see which services there are; what
// keeps one from working is for people who are signed in.
func (c *Console) handleHome(w http.ResponseWriter, r *route.Request) error {
	v, err := c.visitor(r)
	stranger := isStranger(err)
	if err != nil && !stranger {
		return err
	}
	body := homeBody{URL: c.world.URL()}
	ctx, cancel := context.WithTimeout(r.Context(), checkTime)
	defer cancel()
	for _, m := range c.modules {
		row := c.serviceRow(ctx, m)
		if row.Trouble != "" {
			body.Troubled++
			if stranger {
				row.Trouble = "in trouble"
			}
		}
		body.Services = append(body.Services, row)
	}
	if stranger {
		return c.render(w, r, http.StatusOK, "home", view{Title: "Services", At: "home", Here: "/console", Body: body})
	}
	if v.user.Admin {
		body.Requests, body.Script = c.requests(), c.looks.scriptURL()
	}
	page := v.view("Services", "home", body)
	page.live = body.Requests != nil
	return c.render(w, r, http.StatusOK, "home", page)
}

func (c *Console) serviceRow(ctx context.Context, m module.Module) serviceRow {
	row := serviceRow{
		Letter: m.Letter, Name: m.Name, Title: m.Title,
		Page: "/docs/services/" + m.Name, Reference: "/docs/reference/" + m.Name,
	}
	if len(m.Prefixes) > 0 {
		row.Base, row.More = c.world.URL()+m.Prefixes[0], len(m.Prefixes)-1
	}
	if len(m.Routes) == 0 {
		row.Reference = ""
	}
	if m.Check != nil {
		if err := m.Check(ctx); err != nil {
			row.Trouble = err.Error()
		}
	}
	return row
}

// handleRequests is the list alone, for the page to refresh itself.
func (c *Console) handleRequests(w http.ResponseWriter, r *route.Request, v visitor) error {
	if !v.user.Admin {
		return route.ErrNoRoute
	}
	var out bytes.Buffer
	if err := c.looks.pages["home"].ExecuteTemplate(&out, "requests", c.requests()); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "text/html; charset=utf-8", out.Bytes())
}

// requests are the last requests to services; those for pages are left out.
func (c *Console) requests() *requestList {
	list := &requestList{}
	for _, e := range c.world.Telemetry.Recent() {
		if !slices.ContainsFunc(c.modules, func(m module.Module) bool { return m.Name == e.Service }) {
			continue
		}
		list.Rows = append(list.Rows, toRow(e))
		if len(list.Rows) == shownRequests {
			break
		}
	}
	return list
}

func toRow(e telemetry.Entry) requestRow {
	kind := "fine"
	switch {
	case e.Status >= 500:
		kind = "bad"
	case e.Status >= 400:
		kind = "refused"
	}
	return requestRow{
		Time: e.Time.UTC().Format("15:04:05"), Service: e.Service, Method: e.Method, Path: e.Path,
		Status: strconv.Itoa(e.Status), Kind: kind, Reason: e.Reason, Took: took(e.Duration), Caller: e.Caller, ID: e.ID,
	}
}

// took is a duration with the precision that matters.
func took(d time.Duration) string {
	if d < time.Millisecond {
		return strconv.FormatInt(d.Microseconds(), 10) + " µs"
	}
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) + " ms"
}

func (c *Console) handleScript(w http.ResponseWriter, r *route.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "text/javascript; charset=utf-8", c.looks.script)
}

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
	// checkTimeout bounds the health checks of the front page.
	checkTimeout = 2 * time.Second
	// maxRequests is how many of the recent requests the front page lists.
	maxRequests = 40
)

// homeBody is the front page: the services, and for administrators the recent
// requests.
type homeBody struct {
	URL      string
	Services []serviceRow
	// Unhealthy is how many services fail their check.
	Unhealthy int
	// Requests is nil for users who may not see them.
	Requests *requestList
	Script   string
}

// serviceRow is one service as the front page shows it.
type serviceRow struct {
	Letter, Name, Title string
	// Base is its first base URL; MorePrefixes counts its further ones.
	Base         string
	MorePrefixes int
	// Page and Reference are its documentation.
	Page, Reference string
	Problem         string
}

// requestList is the recent requests, newest first.
type requestList struct{ Rows []requestRow }

type requestRow struct {
	Time, Service, Method, Path, Status, Class, Reason, Duration, Caller, ID string
}

// handleHome is the front page. Anonymous callers see whether a service is
// healthy; why it is not is for users who are signed in.
func (c *Console) handleHome(w http.ResponseWriter, r *route.Request) error {
	v, err := c.viewer(r)
	anonymous := isAnonymous(err)
	if err != nil && !anonymous {
		return err
	}
	body := homeBody{URL: c.world.URL(r.Context())}
	ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
	defer cancel()
	for _, m := range c.modules {
		row := c.serviceRow(ctx, m)
		if row.Problem != "" {
			body.Unhealthy++
			if anonymous {
				row.Problem = "unhealthy"
			}
		}
		body.Services = append(body.Services, row)
	}
	if anonymous {
		page := view{Title: "Services", Section: "home", Current: "/console", Body: body}
		return c.render(w, r, http.StatusOK, "home", page)
	}
	if v.user.Admin {
		body.Requests, body.Script = c.requests(), c.templates.scriptURL()
	}
	page := v.view("Services", "home", body)
	page.runsScript = body.Requests != nil
	return c.render(w, r, http.StatusOK, "home", page)
}

func (c *Console) serviceRow(ctx context.Context, m module.Module) serviceRow {
	row := serviceRow{
		Letter: m.Letter, Name: m.Name, Title: m.Title,
		Page: "/docs/services/" + m.Name, Reference: "/docs/reference/" + m.Name,
	}
	if len(m.Prefixes) > 0 {
		row.Base, row.MorePrefixes = c.world.URL(ctx)+m.Prefixes[0], len(m.Prefixes)-1
	}
	if len(m.Routes) == 0 {
		row.Reference = ""
	}
	if m.Check != nil {
		if err := m.Check(ctx); err != nil {
			row.Problem = err.Error()
		}
	}
	return row
}

// handleRequests is the list alone, which the page's script fetches.
func (c *Console) handleRequests(w http.ResponseWriter, r *route.Request, v viewer) error {
	if !v.user.Admin {
		return route.ErrNoRoute
	}
	var out bytes.Buffer
	if err := c.templates.pages["home"].ExecuteTemplate(&out, "requests", c.requests()); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "text/html; charset=utf-8", out.Bytes())
}

// requests are the recent requests to services; those for pages are left out.
func (c *Console) requests() *requestList {
	list := &requestList{}
	for _, e := range c.world.Telemetry.Recent() {
		if !slices.ContainsFunc(c.modules, func(m module.Module) bool { return m.Name == e.Service }) {
			continue
		}
		list.Rows = append(list.Rows, newRequestRow(e))
		if len(list.Rows) == maxRequests {
			break
		}
	}
	return list
}

func newRequestRow(e telemetry.Entry) requestRow {
	class := "fine"
	switch {
	case e.Status >= 500:
		class = "bad"
	case e.Status >= 400:
		class = "refused"
	}
	return requestRow{
		Time: e.Time.UTC().Format("15:04:05"), Service: e.Service, Method: e.Method, Path: e.Path,
		Status: strconv.Itoa(e.Status), Class: class, Reason: e.Reason, Duration: formatDuration(e.Duration),
		Caller: e.Caller, ID: e.ID,
	}
}

// formatDuration rounds to the microsecond below a millisecond, else to a tenth
// of a millisecond.
func formatDuration(d time.Duration) string {
	if d < time.Millisecond {
		return strconv.FormatInt(d.Microseconds(), 10) + " µs"
	}
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 1, 64) + " ms"
}

func (c *Console) handleScript(w http.ResponseWriter, r *route.Request) error {
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	return wire.WriteBytes(w, r.Request, http.StatusOK, "text/javascript; charset=utf-8", c.templates.script)
}

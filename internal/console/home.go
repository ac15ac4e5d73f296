package console

import (
	"context"
	"html/template"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

const (
	// checkTimeout bounds the health checks of the front page.
	checkTimeout = 2 * time.Second
	// maxRequests is how many of the recent requests the front page lists.
	maxRequests = 15
)

// homeBody is the front page: the services, and for administrators the recent
// requests.
type homeBody struct {
	URL      string
	Services []serviceRow
	// Unhealthy is how many services fail their check.
	Unhealthy int
	// Requests is empty for users who may not see them.
	Requests template.HTML
	// Demo means that demo.env names an administrator.
	Demo bool
}

// serviceRow is one service as the front page shows it.
type serviceRow struct {
	Name, Title string
	// Base is its first base URL; MorePrefixes counts its further ones.
	Base         string
	MorePrefixes int
	// Page and Reference are its documentation.
	Page, Reference string
	Problem         string
	// Data is the page of what it holds, for those who are signed in.
	Data string
}

// handleHome is the front page. Anonymous callers see whether a service is
// healthy; why it is not is for users who are signed in.
func (c *Console) handleHome(w http.ResponseWriter, r *route.Request) error {
	v, err := c.viewer(r)
	anonymous := isAnonymous(err)
	if err != nil && !anonymous {
		return err
	}
	body := homeBody{URL: c.world.URL(r.Context()), Demo: c.hasDemoFile()}
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
		if body.Requests, err = c.requestPages.Recent(maxRequests); err != nil {
			return err
		}
	}
	for _, link := range c.resources.Links(v.user) {
		for i := range body.Services {
			if body.Services[i].Name == link.Service {
				body.Services[i].Data = link.URL
			}
		}
	}
	return c.render(w, r, http.StatusOK, "home", v.view("Services", "home", body))
}

func (c *Console) serviceRow(ctx context.Context, m module.Module) serviceRow {
	row := serviceRow{
		Name: m.Name, Title: m.Title,
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

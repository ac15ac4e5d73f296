package console

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/console/administration"
	"stoa.dev/stoa/internal/console/dashboards"
	"stoa.dev/stoa/internal/console/labpages"
	"stoa.dev/stoa/internal/console/requestpages"
	"stoa.dev/stoa/internal/console/resourcepages"
	"stoa.dev/stoa/internal/platform/route"
)

// maxForm is far above any form here.
const maxForm = 64 << 10

// maxDataForm holds the text of a long article with a picture of 10 MiB, and labTime a clock that moves a month.
const (
	maxDataForm = 12 << 20
	labTime     = 5 * time.Minute
)

// routes is the table of pages. Who may see one is decided by its wrapper: without
// one every caller; requireSignIn; or changeForm and deleteForm, which require a
// session and its form token, and count the form.
func (c *Console) routes() []route.Route {
	all := slices.Concat(c.accountRoutes(), c.insideRoutes(), c.graphRoutes())
	return append(all, backToPages(all)...)
}

// hostRoutes are the routes on a host of a service.
func (c *Console) hostRoutes() []route.Route {
	all := c.routes()
	for n := range all {
		if all[n].Pattern == providerPath {
			all[n].Handle = c.handleHostProvider
		}
	}
	return all
}

// insideRoutes are the pages about what the server holds and does.
func (c *Console) insideRoutes() []route.Route {
	const (
		requests = requestpages.Base
		resource = resourcepages.Base + "/{service}/{resource}"
		lab      = labpages.Base
		admin    = administration.Base
	)
	return []route.Route{
		{Method: "GET", Pattern: "/console/design", Name: "design", Handle: c.requireSignIn(c.handleDesign)},
		{Method: "GET", Pattern: tryPath, Name: "try.reader", Unlisted: true, Handle: c.handleReader},
		{
			Method: "POST", Pattern: tryPath + "/{service}", Name: "try", MaxBody: maxDataForm,
			Handle: c.changeForm(c.handleTry),
		},
		{
			Method: "GET", Pattern: requests, Name: "requests", Unlisted: true,
			Handle: c.requireAdmin(c.handleRequests),
		},
		{
			Method: "GET", Pattern: requests + "/stream", Name: "requests.stream", Streams: true, Unlisted: true,
			Handle: c.requireAdmin(c.handleRequestStream),
		},
		{Method: "GET", Pattern: requests + "/{id}", Name: "requests.one", Handle: c.requireAdmin(c.handleRequest)},
		{
			Method: "POST", Pattern: requests + "/{id}/again", Name: "requests.again",
			Handle: c.changeForm(c.adminOnly(c.handleSendAgain)),
		},
		{
			Method: "GET", Pattern: resourcepages.Base + "/{service}", Name: "data.service",
			Handle: c.requireSignIn(c.resourcePage(c.resources.Service)),
		},
		{Method: "GET", Pattern: resource, Name: "data.list", Handle: c.requireSignIn(c.resourcePage(c.resources.List))},
		{
			Method: "GET", Pattern: resource + "/item", Name: "data.item",
			Handle: c.requireSignIn(c.resourcePage(c.resources.Item)),
		},
		{
			Method: "GET", Pattern: resource + "/do/{action}", Name: "data.form",
			Handle: c.requireSignIn(c.resourcePage(c.resources.Form)),
		},
		{
			Method: "POST", Pattern: resource + "/do/{action}", Name: "data.do", MaxBody: maxDataForm,
			Handle: c.changeForm(c.resourcePage(c.resources.Do)),
		},
		{Method: "GET", Pattern: lab, Name: "lab", Handle: c.requireAdmin(c.labPage(c.labPages.Show))},
		{Method: "GET", Pattern: lab + "/{page}", Name: "lab.page", Handle: c.requireAdmin(c.labPage(c.labPages.Show))},
		{
			Method: "POST", Pattern: lab + "/{action}", Name: "lab.do", Timeout: labTime,
			Handle: c.changeForm(c.adminOnly(c.labPage(c.labPages.Do))),
		},
		{Method: "GET", Pattern: admin + "/{page}", Name: "admin.page", Handle: c.requireAdmin(c.handleAdministration)},
		{
			Method: "POST", Pattern: admin + "/backup", Name: "admin.backup", Streams: true,
			Handle: c.changeForm(c.adminOnly(c.handleBackup)),
		},
		{
			Method: "GET", Pattern: dashboards.Server, Name: "admin.metrics",
			Handle: c.requireAdmin(c.resourcePage(c.dashboards.Server)),
		},
	}
}

// graphRoutes are the pages that draw metrics.
func (c *Console) graphRoutes() []route.Route {
	const one = dashboards.Base + "/{id}"
	show, change := func(makePage visitPage) route.Handler { return c.requireSignIn(c.resourcePage(makePage)) },
		func(makePage visitPage) route.Handler { return c.changeForm(c.resourcePage(makePage)) }
	return []route.Route{
		{Method: "GET", Pattern: dashboards.Explore, Name: "graphs", Handle: show(c.dashboards.Explore)},
		{Method: "POST", Pattern: dashboards.Explore, Name: "graphs.keep", Handle: change(c.dashboards.Keep)},
		{Method: "GET", Pattern: dashboards.Base, Name: "dashboards", Handle: show(c.dashboards.List)},
		{Method: "POST", Pattern: dashboards.Base, Name: "dashboards.make", Handle: change(c.dashboards.Make)},
		{Method: "GET", Pattern: one, Name: "dashboards.one", Handle: show(c.dashboards.One)},
		{
			Method: "POST", Pattern: one + "/delete", Name: "dashboards.delete",
			Handle: c.deleteForm(c.resourcePage(c.dashboards.Delete)),
		},
		{
			Method: "POST", Pattern: one + "/graphs/{graph}/remove", Name: "dashboards.remove",
			Handle: c.deleteForm(c.resourcePage(c.dashboards.Remove)),
		},
	}
}

// visitPage makes the content of a page.
type visitPage = func(resourcepages.Visit) (resourcepages.Page, error)

// accountRoutes are the front page and those about the user's own account.
func (c *Console) accountRoutes() []route.Route {
	return []route.Route{
		{Method: "GET", Pattern: "/console", Name: "home", Handle: c.handleHome},
		{Method: "GET", Pattern: "/console/{$}", Name: "home", Handle: c.handleHome},
		{Method: "GET", Pattern: "/console/console.js", Name: "script", Handle: c.handleScript},
		{Method: "GET", Pattern: "/console/style.css", Name: "style", Handle: c.handleStyle},
		{Method: "GET", Pattern: "/console/icon.svg", Name: "icon", Handle: c.handleIcon},
		{Method: "GET", Pattern: "/favicon.ico", Name: "icon", Handle: c.handleIcon},
		{Method: "GET", Pattern: "/console/sign-in", Name: "signIn.form", Handle: c.handleSignInForm},
		{Method: "POST", Pattern: "/console/sign-in", Name: "signIn", Handle: c.handleSignIn},
		{Method: "GET", Pattern: providerPath, Name: "signIn.provider", Handle: c.handleProvider},
		{Method: "GET", Pattern: answerPath, Name: "signIn.answer", Handle: c.handleProviderAnswer},
		{Method: "POST", Pattern: "/console/sign-out", Name: "signOut", Handle: c.deleteForm(c.handleSignOut)},
		{
			Method: "GET", Pattern: "/console/password", Name: "password.form",
			Handle: c.requireSignIn(c.handlePasswordForm),
		},
		{Method: "POST", Pattern: "/console/password", Name: "password", Handle: c.changeForm(c.handlePassword)},
		{Method: "GET", Pattern: "/console/tokens", Name: "tokens", Handle: c.requireSignIn(c.handleTokens)},
		{
			Method: "GET", Pattern: "/console/tokens/new", Name: "tokens.form",
			Handle: c.requireSignIn(c.handleTokenForm),
		},
		{Method: "POST", Pattern: "/console/tokens", Name: "tokens.issue", Handle: c.changeForm(c.handleIssue)},
		{
			Method: "POST", Pattern: "/console/tokens/{id}/revoke", Name: "tokens.revoke",
			Handle: c.deleteForm(c.handleRevoke),
		},
		{
			Method: "GET", Pattern: "/console/applications", Name: "applications",
			Handle: c.requireSignIn(c.handleApplications),
		},
		{
			Method: "POST", Pattern: "/console/applications", Name: "applications.add",
			Handle: c.changeForm(c.handleAddApplication),
		},
		{
			Method: "POST", Pattern: "/console/applications/{id}/secret", Name: "applications.secret",
			Handle: c.changeForm(c.handleNewSecret),
		},
		{
			Method: "POST", Pattern: "/console/applications/{id}/delete", Name: "applications.delete",
			Handle: c.deleteForm(c.handleDeleteApplication),
		},
		{Method: "GET", Pattern: "/console/sessions", Name: "sessions", Handle: c.requireSignIn(c.handleSessions)},
		{
			Method: "POST", Pattern: "/console/sessions", Name: "sessions.endOthers",
			Handle: c.deleteForm(c.handleEndOthers),
		},
		{
			Method: "POST", Pattern: "/console/sessions/{id}/end", Name: "sessions.end",
			Handle: c.deleteForm(c.handleEndSession),
		},
		{Method: "GET", Pattern: "/console/consent", Name: "consent.form", Handle: c.handleConsentForm},
		{Method: "POST", Pattern: "/console/consent", Name: "consent", Handle: c.changeForm(c.handleConsent)},
		{Method: "GET", Pattern: "/device", Name: "device.form", Handle: c.requireSignIn(c.handleDeviceForm)},
		{Method: "POST", Pattern: "/device", Name: "device", Handle: c.changeForm(c.handleDevice)},
		{Method: "POST", Pattern: "/device/decision", Name: "device.decision", Handle: c.changeForm(c.handleDecision)},
	}
}

func (c *Console) muxOptions() route.Options {
	o := c.world.RouteOptions(route.Options{
		Service: Name, WriteError: c.writeError, MaxBody: maxForm,
		Before: func(_ http.ResponseWriter, r *route.Request) error {
			if err := c.origin.Check(r.Request); err != nil {
				return errCrossSite
			}
			if _, world := c.labControl(); world == "" && isLabPath(r.URL.Path) {
				return route.ErrNoRoute
			}
			return nil
		},
	})
	o.FaultRules = nil // a rule that breaks everything leaves the page that removes it
	return o
}

// isLabPath reports whether the path is of a page about the lab: outside of one there
// is none, for every method and every caller.
func isLabPath(path string) bool {
	return path == labpages.Base || strings.HasPrefix(path, labpages.Base+"/")
}

package browser_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/console/administration"
	"stoa.dev/stoa/internal/console/labpages"
	"stoa.dev/stoa/internal/console/resourcepages"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

// noPages are routes of the console that answer with a file, with an event stream or
// with the address of another server.
func noPages() []string {
	return []string{"script", "style", "icon", "signIn.provider", "signIn.answer", "try.reader"}
}

// lookedAtElsewhere are the pages that a walk along links cannot reach, with the test
// that opens them.
func lookedAtElsewhere() map[string]string {
	return map[string]string{
		"requests.one": "checkHome", "dashboards.one": "keepGraph", "consent.form": "consentFlow",
		"signIn.form": "deviceFlow", "lab": "holdLab", "lab.page": "holdLab",
	}
}

// pageRoutes are the routes of the console that show a page, without those that lead back to one.
func pageRoutes() []route.Route {
	var list []route.Route
	for _, m := range app.Tables() {
		if m.Name != console.Name {
			continue
		}
		for _, r := range m.Routes {
			leadsBack := r.Unlisted && strings.HasSuffix(r.Name, ".page")
			if r.Method == http.MethodGet && !r.Streams && !leadsBack && !slices.Contains(noPages(), r.Name) &&
				!strings.HasSuffix(r.Pattern, "{$}") {
				list = append(list, r)
			}
		}
	}
	return list
}

// routePages are the addresses that follow from routes and resources alone, so that a
// page that no link leads to is visited too.
func routePages() []string {
	var list []string
	for _, r := range pageRoutes() {
		if _, other := lookedAtElsewhere()[r.Name]; !other && !strings.Contains(r.Pattern, "{") {
			list = append(list, r.Pattern)
		}
	}
	for _, l := range administration.Links() {
		list = append(list, l.URL)
	}
	for _, m := range append(app.Tables(), administration.Module()) {
		list = append(list, resourcePages(m)...)
	}
	return list
}

// resourcePages are those of a module that need nothing to be chosen first.
func resourcePages(m module.Module) (list []string) {
	for _, r := range m.Resources {
		if r.In != "" {
			continue
		}
		at := resourcepages.Base + "/" + m.Name + "/" + r.Name
		list = append(list, at)
		for _, a := range r.Actions {
			if !a.One && !a.Hidden {
				list = append(list, at+"/do/"+a.Name)
			}
		}
	}
	return list
}

// consoleMux knows the route of an address.
func consoleMux() *http.ServeMux {
	mux := http.NewServeMux()
	for _, r := range pageRoutes() {
		mux.Handle("GET "+r.Pattern, http.NotFoundHandler())
	}
	return mux
}

// pattern is that of the route that serves the address, empty outside of the console.
func pattern(mux *http.ServeMux, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	_, found := mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: u.Path}, Host: "x"})
	return strings.TrimPrefix(found, "GET ")
}

// checkRoutesVisited fails for a page of the console that the walk has not seen.
func checkRoutesVisited(t *testing.T, visited []string) {
	t.Helper()
	mux, seen := consoleMux(), map[string]bool{}
	for _, page := range visited {
		seen[pattern(mux, page)] = true
	}
	for _, r := range pageRoutes() {
		if _, other := lookedAtElsewhere()[r.Name]; !other && !seen[r.Pattern] {
			t.Errorf("no page of the route %s (%s) was visited", r.Name, r.Pattern)
		}
	}
}

// labRoutePages are the pages of the lab.
func labRoutePages() []string {
	var list []string
	for _, l := range labpages.Links() {
		list = append(list, l.URL)
	}
	return list
}

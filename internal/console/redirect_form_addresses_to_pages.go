package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
)

// backToPages leads from the addresses that only forms are sent to, which a browser keeps
// when a form was refused, to the pages that they lie below.
func backToPages(all []route.Route) []route.Route {
	var back []route.Route
	for _, r := range all {
		if r.Method != http.MethodPost || servesGet(all, r.Pattern) {
			continue
		}
		page := pageAbove(all, r.Pattern)
		back = append(back, route.Route{
			Method: http.MethodGet, Pattern: r.Pattern, Name: r.Name + ".page", Unlisted: true,
			Handle: func(w http.ResponseWriter, q *route.Request) error { return redirect(w, q, fillIn(page, q)) },
		})
	}
	return back
}

// pageAbove is the pattern of the nearest page above; the front page is above all.
func pageAbove(all []route.Route, pattern string) string {
	for pattern != "" {
		pattern = pattern[:strings.LastIndexByte(pattern, '/')]
		if slices.ContainsFunc(all, func(r route.Route) bool { return r.Method == http.MethodGet && r.Pattern == pattern }) {
			return pattern
		}
	}
	return "/console"
}

// servesGet reports whether a GET of the pattern finds a page already.
func servesGet(all []route.Route, pattern string) bool {
	want := strings.Split(pattern, "/")
	return slices.ContainsFunc(all, func(r route.Route) bool {
		have := strings.Split(r.Pattern, "/")
		return r.Method == http.MethodGet && slices.EqualFunc(have, want, func(a, b string) bool {
			return a == b || strings.HasPrefix(a, "{") && a != "{$}" // which ends a path
		})
	})
}

// fillIn puts what the request's path holds into a pattern.
func fillIn(pattern string, r *route.Request) string {
	parts := strings.Split(pattern, "/")
	for n, part := range parts {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			parts[n] = url.PathEscape(r.PathValue(strings.TrimSuffix(name, "}")))
		}
	}
	return strings.Join(parts, "/")
}

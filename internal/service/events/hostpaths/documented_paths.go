package hostpaths

import (
	"net/http"
	"slices"
	"strings"
)

// Segments are the first segments of the documented API, in order.
func Segments() []string {
	return []string{
		"advisories", "agents", "app", "app-manifests", "applications", "apps", "assignments", "authorizations",
		"classrooms", "codes_of_conduct", "credentials", "emojis", "enterprise-installation", "enterprises", "events",
		"feeds", "gists", "gitignore", "graphql", "hub", "installation", "issues", "licenses", "markdown",
		"marketplace_listing", "meta", "networks", "notifications", "octocat", "organizations", "orgs", "projects",
		"rate_limit", "repos", "repositories", "scim", "search", "teams", "user", "users", "versions", "zen",
	}
}

// Documented reports whether a path is one of the documented API.
func Documented(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	_, found := slices.BinarySearch(Segments(), first)
	return found
}

// Unowned serves paths that no service owns: the pages of owners, and what the API
// documents, which it then refuses in its own form.
func Unowned(pages func(http.ResponseWriter, *http.Request) bool, api http.Handler,
) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if pages(w, r) {
			return true
		}
		if !Documented(r.URL.Path) {
			return false
		}
		api.ServeHTTP(w, r)
		return true
	}
}

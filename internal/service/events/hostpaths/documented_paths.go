package hostpaths

import (
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

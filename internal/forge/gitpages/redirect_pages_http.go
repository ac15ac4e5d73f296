package gitpages

import (
	"context"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
)

// Routes are the addresses of repositories, commits and comparisons below /git. base is the
// server's own address.
func Routes(base func(context.Context) string) []route.Route {
	page := func(pattern, name string) route.Route {
		return route.Route{
			Method: "GET", Pattern: pattern, Name: name, Access: route.Optional, Handle: handlePage(base),
		}
	}
	return []route.Route{
		page("/git/{owner}/{repo}", "repo_page"),
		page("/git/{owner}/{repo}/commit/{rest...}", "commit_page"),
		page("/git/{owner}/{repo}/compare/{rest...}", "compare_page"),
	}
}

func handlePage(base func(context.Context) string) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		parts := strings.SplitN(strings.TrimPrefix(r.URL.EscapedPath(), "/git/"), "/", 3)
		parts[1] = strings.TrimSuffix(parts[1], ".git")
		http.Redirect(w, r.Request, base(r.Context())+"/"+strings.Join(parts, "/"), http.StatusFound)
		return nil
	}
}

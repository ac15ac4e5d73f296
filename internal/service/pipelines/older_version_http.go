package pipelines

import (
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

// olderBase is the path of the version before 1.1, which has no vcs-type segment. Other services answer below it, too.
const olderBase = "/api/v1"

// olderPaths are what of it is ours.
func olderPaths() []string {
	return []string{
		olderBase + "/me", olderBase + "/project", olderBase + "/projects", olderBase + "/recent-builds",
		olderBase + "/user",
	}
}

// olderVersion answers calls of the older version as those of the current one.
func (s *Service) olderVersion(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		current, address := *r, *r.URL
		address.Path = s.currentPath(r.URL.Path)
		if r.URL.RawPath != "" {
			address.RawPath = s.currentPath(r.URL.RawPath)
		}
		current.URL = &address
		api.ServeHTTP(w, &current)
	})
}

// currentPath is a path of the older version in the current one. A vcs-type that stands there already is kept: clients
// write it as part of the account.
func (s *Service) currentPath(path string) string {
	rest := strings.TrimPrefix(path, olderBase)
	if below, ok := strings.CutPrefix(rest, "/project/"); ok {
		first, _, _ := strings.Cut(below, "/")
		if _, known := s.names.Parse(first); !known {
			rest = "/project/" + s.names.Type(vcs.A) + "/" + below
		}
	}
	return base + rest
}

package events

import (
	"net/http"
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/events/objects"
)

const enterprisePrefix = objects.EnterprisePrefix

// withEnterprise serves everything below the prefix too.
func withEnterprise(api http.Handler) http.Handler {
	below := http.StripPrefix(enterprisePrefix, api)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, enterprisePrefix+"/") {
			below.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// base is what links to operations begin with: the prefix is kept that the caller uses.
func (s *Service) base(r *route.Request) string {
	base := s.world.URL(r.Context())
	if underEnterprise(r) {
		return base + enterprisePrefix
	}
	return base
}

// underEnterprise reports whether the prefix was cut off the request's path: what was
// asked for ends in the prefix and the path that is left.
func underEnterprise(r *route.Request) bool {
	asked := r.RequestURI
	if len(asked) == 0 || len(asked) <= len(r.URL.Path) {
		return false
	}
	if asked[0] != '/' { // a proxy's form: http://host/path
		u, err := url.Parse(asked)
		if err != nil {
			return false
		}
		asked = u.EscapedPath()
	}
	asked, _, _ = strings.Cut(asked, "?")
	return strings.HasSuffix(asked, enterprisePrefix+r.URL.EscapedPath())
}

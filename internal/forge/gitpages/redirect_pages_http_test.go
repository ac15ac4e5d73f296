package gitpages_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/forge/gitpages"
	"stoa.dev/stoa/internal/platform/route"
)

func TestRedirects(t *testing.T) {
	t.Parallel()
	routes := gitpages.Routes(func(context.Context) string { return "https://stoa.test" })
	for i, row := range []struct{ path, want string }{
		{"/git/ada/open.git", "https://stoa.test/ada/open"},
		{"/git/ada/open/commit/0a", "https://stoa.test/ada/open/commit/0a"},
		{"/git/ada/open/compare/a...b%2Fc", "https://stoa.test/ada/open/compare/a...b%2Fc"},
	} {
		w := httptest.NewRecorder()
		r := &route.Request{Request: httptest.NewRequest("GET", row.path, nil)}
		if err := routes[i].Handle(w, r); err != nil || w.Code != http.StatusFound || w.Header().Get("Location") != row.want {
			t.Errorf("GET %s: %v, %d to %q, want %q", row.path, err, w.Code, w.Header().Get("Location"), row.want)
		}
	}
}

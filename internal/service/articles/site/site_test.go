package site_test

import (
	"context"
	"errors"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/articles/site"
)

func TestPublicSite(t *testing.T) {
	t.Parallel()
	sites := site.New(nil, "example.com", func(context.Context) string { return "https://example.com:8443" })
	for _, host := range []string{"example.com", "EXAMPLE.com.", "a.b.example.com", ".example.com", "other.org", ""} {
		at, err := sites.ByHost(t.Context(), host)
		if err != nil || at.Team != nil || at.TeamID() != 0 {
			t.Errorf("%q: got %+v, %v; want the public site", host, at, err)
		}
	}
	team := site.Site{Team: &identity.Team{ID: 7, Name: "lyceum"}}
	for want, at := range map[string]site.Site{
		"https://example.com:8443": {}, "https://lyceum.example.com:8443": team,
	} {
		if got := sites.URL(t.Context(), at); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAuthorizeOnThePublicSite(t *testing.T) {
	t.Parallel()
	sites := site.New(nil, "example.com", nil)
	reader := &identity.Caller{Scopes: identity.EveryScope(site.ScopeWrite)}
	for _, tc := range []struct {
		name   string
		need   site.Need
		caller *identity.Caller
		scope  string
		want   error
	}{
		{name: "anyone reads"},
		{name: "own data without a token", need: site.Need{Own: true}, want: route.ErrNoCredential},
		{name: "write without a token", need: site.Need{Write: true}, want: route.ErrNoCredential},
		{name: "own data", need: site.Need{Own: true}, caller: reader},
		{name: "write with a reader's token", need: site.Need{Write: true}, caller: reader, scope: site.ScopeWrite},
	} {
		err := sites.Authorize(t.Context(), site.Site{}, tc.need, tc.caller)
		var missing *route.ScopeError
		if tc.scope != "" && errors.As(err, &missing) && missing.Needed[0] == tc.scope {
			continue
		}
		if tc.scope != "" || !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v %s", tc.name, err, tc.want, tc.scope)
		}
	}
}

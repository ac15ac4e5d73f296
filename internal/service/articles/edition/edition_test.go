package edition_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/articles/edition"
)

func TestPublicSite(t *testing.T) {
	t.Parallel()
	editions := edition.New(nil, "example.com", func() string { return "https://example.com:8443" })
	for _, host := range []string{"example.com", "EXAMPLE.com.", "a.b.example.com", ".example.com", "other.org", ""} {
		at, err := editions.ByHost(t.Context(), host)
		if err != nil || at.Team != nil || at.TeamID() != 0 {
			t.Errorf("%q: got %+v, %v; want the public site", host, at, err)
		}
	}
	team := edition.Edition{Team: &identity.Team{ID: 7, Name: "lyceum"}}
	for want, at := range map[string]edition.Edition{
		"https://example.com:8443": {}, "https://lyceum.example.com:8443": team,
	} {
		if got := editions.URL(at); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAdmitToThePublicSite(t *testing.T) {
	t.Parallel()
	editions := edition.New(nil, "example.com", nil)
	reader := &identity.Caller{Scopes: identity.EveryScope(edition.ScopeWrite)}
	for _, tc := range []struct {
		name   string
		need   edition.Need
		caller *identity.Caller
		scope  string
		want   error
	}{
		{name: "anyone reads"},
		{name: "own data without a token", need: edition.Need{Own: true}, want: route.ErrNoCredential},
		{name: "write without a token", need: edition.Need{Write: true}, want: route.ErrNoCredential},
		{name: "own data", need: edition.Need{Own: true}, caller: reader},
		{name: "write with a reader's token", need: edition.Need{Write: true}, caller: reader, scope: edition.ScopeWrite},
	} {
		err := editions.Admit(t.Context(), edition.Edition{}, tc.need, tc.caller)
		var missing *route.ScopeError
		if tc.scope != "" && errors.As(err, &missing) && missing.Needed[0] == tc.scope {
			continue
		}
		if tc.scope != "" || !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v %s", tc.name, err, tc.want, tc.scope)
		}
	}
}

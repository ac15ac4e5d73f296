package authorize_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/authorize"
	"stoa.dev/stoa/internal/platform/oauth"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const (
		challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
		code      = "response_type=code"
		method    = code + "&code_challenge_method="
	)
	const web, installed = identity.ClientWeb, identity.ClientDevice
	for name, row := range map[string]struct {
		query string
		kind  identity.ClientType
		want  oauth.Code
	}{
		"a web application":        {code, web, ""},
		"with a proof key":         {method + "S256&code_challenge=" + challenge, installed, ""},
		"an installed application": {code, installed, oauth.InvalidRequest},
		"no response type":         {"", web, oauth.InvalidRequest},
		"another response type":    {"response_type=token", web, oauth.UnsupportedResponseType},
		"a plain proof key":        {method + "plain&code_challenge=x", web, oauth.InvalidRequest},
		"a method without a key":   {method + "S256", web, oauth.InvalidRequest},
		"a key without a method":   {code + "&code_challenge=" + challenge, web, oauth.InvalidRequest},
	} {
		q, err := url.ParseQuery(row.query)
		if err != nil {
			t.Fatal(err)
		}
		r, err := authorize.Read(q)
		if err != nil {
			t.Fatal(err)
		}
		var refused *oauth.Error
		if err = r.Check(identity.Client{Type: row.kind}); (err == nil) != (row.want == "") {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		} else if err != nil && (!errors.As(err, &refused) || refused.Code != row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
	if _, err := authorize.Read(url.Values{"state": {"a", "b"}}); err == nil {
		t.Error("a repeated parameter was read")
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	refused := &oauth.Error{Code: oauth.InvalidScope, Description: `a "scope"`}
	if m := authorize.Refusal(nil, refused); m.ReturnURL != "" || m.Status != 400 {
		t.Errorf("an address that is not registered: %+v", m)
	}
	const back = "https://app.example/back?x=1"
	a := &identity.Authorization{RedirectURI: back, State: "s", HasState: true, Issuer: "https://i"}
	m := authorize.Refusal(a, refused)
	to, err := url.Parse(m.ReturnURL)
	if err != nil || !strings.HasPrefix(m.ReturnURL, back+"&") || to.Query().Get("iss") != "https://i" ||
		to.Query().Get("error") != "invalid_scope" || to.Query().Get("state") != "s" {
		t.Errorf("the link is %q, %v", m.ReturnURL, err)
	}
}

package credential_test

import (
	"encoding/base64"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/route/credential"
)

func b64(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s)) }

func TestExtractors(t *testing.T) {
	t.Parallel()
	pair := credential.KeyPair([]string{"Svc-Api-Key", "X-Old-Key"}, []string{"Svc-App-Key"})
	both := credential.FirstOf(credential.Bearer(), credential.BasicUser(), credential.Query("key"))
	bad := func(style string) *credential.Credential {
		return &credential.Credential{Style: style, Malformed: true}
	}
	for _, c := range []struct {
		name    string
		extract credential.Extractor
		url     string
		header  []string
		want    *credential.Credential // nil: none
	}{
		{"bearer none", credential.Bearer(), "/", nil, nil},
		{"bearer", credential.Bearer(), "/", []string{"Authorization", "Bearer t0ken"},
			&credential.Credential{Style: "bearer", Value: "t0ken"}},
		{"bearer lower case", credential.Bearer(), "/", []string{"Authorization", "bearer t0ken"},
			&credential.Credential{Style: "bearer", Value: "t0ken"}},
		{"bearer two spaces", credential.Bearer(), "/", []string{"Authorization", "Bearer  t0ken"},
			&credential.Credential{Style: "bearer", Value: "t0ken"}},
		{"bearer empty", credential.Bearer(), "/", []string{"Authorization", ""}, bad("bearer")},
		{"bearer word only", credential.Bearer(), "/", []string{"Authorization", "Bearer"}, bad("bearer")},
		{"bearer blank", credential.Bearer(), "/", []string{"Authorization", "Bearer "}, bad("bearer")},
		{"bearer token only", credential.Bearer(), "/", []string{"Authorization", "t0ken"}, bad("bearer")},
		{"bearer two words", credential.Bearer(), "/", []string{"Authorization", "Bearer a b"}, bad("bearer")},
		{"bearer not ascii", credential.Bearer(), "/", []string{"Authorization", "Bearer é"}, bad("bearer")},
		{"bearer twice", credential.Bearer(), "/", []string{"Authorization", "Bearer a", "Authorization", "Bearer a"},
			bad("bearer")},
		{"bearer other scheme", credential.Bearer(), "/", []string{"Authorization", b64("a:b")}, nil},
		{"header none", credential.Header("X-Key"), "/", nil, nil},
		{"header", credential.Header("x-key"), "/", []string{"X-Key", "k"},
			&credential.Credential{Style: "header", Value: "k"}},
		{"header second name", credential.Header("a", "X-Key"), "/", []string{"X-Key", "k"},
			&credential.Credential{Style: "header", Value: "k"}},
		{"header empty", credential.Header("X-Key"), "/", []string{"X-Key", ""}, bad("header")},
		{"header twice", credential.Header("X-Key"), "/", []string{"X-Key", "a", "X-Key", "b"}, bad("header")},
		{"query none", credential.Query("key"), "/?other=1", nil, nil},
		{"query", credential.Query("key"), "/?key=k%2Fx", nil, &credential.Credential{Style: "query", Value: "k/x"}},
		{"query case matters", credential.Query("key"), "/?KEY=k", nil, nil},
		{"query empty", credential.Query("key"), "/?key=", nil, bad("query")},
		{"query control", credential.Query("key"), "/?key=a%0Ab", nil, bad("query")},
		{"query twice", credential.Query("key"), "/?key=a&key=b", nil, bad("query")},
		{"query pair", credential.QueryPair([]string{"api_key"}, []string{"application_key"}),
			"/?api_key=a&application_key=b", nil, &credential.Credential{Style: "keypair", Value: "a", Second: "b"}},
		{"query pair second only", credential.QueryPair([]string{"api_key"}, []string{"application_key"}),
			"/?application_key=b", nil, bad("keypair")},
		{"query pair none", credential.QueryPair([]string{"api_key"}, []string{"application_key"}), "/", nil, nil},
		{"basic not base64", credential.BasicUser(), "/", []string{"Authorization", "Basic !!"}, bad("basic")},
		{"basic no colon", credential.BasicUser(), "/", []string{"Authorization", b64("ann")}, bad("basic")},
		{"basic no user", credential.BasicUser(), "/", []string{"Authorization", b64(":")}, bad("basic")},
		{"basic control", credential.BasicUser(), "/", []string{"Authorization", b64("a\x00:")}, bad("basic")},
		{"basic bearer", credential.BasicUser(), "/", []string{"Authorization", "Bearer x"}, nil},
		{"basic user", credential.BasicUser(), "/", []string{"Authorization", b64("t0ken:")},
			&credential.Credential{Style: "basic", Value: "t0ken"}},
		{"basic user with password", credential.BasicUser(), "/", []string{"Authorization", b64("t0ken:x")}, bad("basic")},
		{"pair none", pair, "/", nil, nil},
		{"pair", pair, "/", []string{"Svc-Api-Key", "a", "Svc-App-Key", "b"},
			&credential.Credential{Style: "keypair", Value: "a", Second: "b"}},
		{"pair first only", pair, "/", []string{"X-Old-Key", "a"}, &credential.Credential{Style: "keypair", Value: "a"}},
		{"pair second only", pair, "/", []string{"Svc-App-Key", "b"}, bad("keypair")},
		{"pair empty second", pair, "/", []string{"Svc-Api-Key", "a", "Svc-App-Key", ""}, bad("keypair")},
		{"first of", both, "/?key=k", []string{"Authorization", "Bearer t"},
			&credential.Credential{Style: "bearer", Value: "t"}},
		{"first of basic", both, "/?key=k", []string{"Authorization", b64("a:")},
			&credential.Credential{Style: "basic", Value: "a"}},
		{"first readable", both, "/?key=k", []string{"Authorization", "junk"},
			&credential.Credential{Style: "query", Value: "k"}},
		{"only malformed", both, "/", []string{"Authorization", "junk"}, bad("bearer")},
		{"first of none", both, "/", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("GET", c.url, nil)
			for i := 0; i < len(c.header); i += 2 {
				r.Header.Add(c.header[i], c.header[i+1])
			}
			got, ok := c.extract(r)
			if ok != (c.want != nil) || (ok && got != *c.want) {
				t.Errorf("got %+v %v, want %+v", got, ok, c.want)
			}
		})
	}
}

package route_test

import (
	"encoding/base64"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/route"
)

func b64(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s)) }

func TestExtractors(t *testing.T) {
	t.Parallel()
	pair := route.KeyPair([]string{"Svc-Api-Key", "X-Old-Key"}, []string{"Svc-App-Key"})
	both := route.FirstOf(route.Bearer(), route.Basic(), route.Query("key"))
	bad := func(style string) *route.Credential { return &route.Credential{Style: style, Malformed: true} }
	for _, c := range []struct {
		name    string
		extract route.Extractor
		url     string
		header  []string
		want    *route.Credential // nil: none
	}{
		{"bearer none", route.Bearer(), "/", nil, nil},
		{"bearer", route.Bearer(), "/", []string{"Authorization", "Bearer t0ken"}, &route.Credential{Style: "bearer", Value: "t0ken"}},
		{"bearer lower case", route.Bearer(), "/", []string{"Authorization", "bearer t0ken"}, &route.Credential{Style: "bearer", Value: "t0ken"}},
		{"bearer two spaces", route.Bearer(), "/", []string{"Authorization", "Bearer  t0ken"}, &route.Credential{Style: "bearer", Value: "t0ken"}},
		{"bearer empty", route.Bearer(), "/", []string{"Authorization", ""}, bad("bearer")},
		{"bearer word only", route.Bearer(), "/", []string{"Authorization", "Bearer"}, bad("bearer")},
		{"bearer blank", route.Bearer(), "/", []string{"Authorization", "Bearer "}, bad("bearer")},
		{"bearer token only", route.Bearer(), "/", []string{"Authorization", "t0ken"}, bad("bearer")},
		{"bearer two words", route.Bearer(), "/", []string{"Authorization", "Bearer a b"}, bad("bearer")},
		{"bearer not ascii", route.Bearer(), "/", []string{"Authorization", "Bearer é"}, bad("bearer")},
		{"bearer twice", route.Bearer(), "/", []string{"Authorization", "Bearer a", "Authorization", "Bearer a"}, bad("bearer")},
		{"bearer other scheme", route.Bearer(), "/", []string{"Authorization", b64("a:b")}, nil},
		{"header none", route.Header("X-Key"), "/", nil, nil},
		{"header", route.Header("x-key"), "/", []string{"X-Key", "k"}, &route.Credential{Style: "header", Value: "k"}},
		{"header second name", route.Header("a", "X-Key"), "/", []string{"X-Key", "k"}, &route.Credential{Style: "header", Value: "k"}},
		{"header empty", route.Header("X-Key"), "/", []string{"X-Key", ""}, bad("header")},
		{"header twice", route.Header("X-Key"), "/", []string{"X-Key", "a", "X-Key", "b"}, bad("header")},
		{"query none", route.Query("key"), "/?other=1", nil, nil},
		{"query", route.Query("key"), "/?key=k%2Fx", nil, &route.Credential{Style: "query", Value: "k/x"}},
		{"query case matters", route.Query("key"), "/?KEY=k", nil, nil},
		{"query empty", route.Query("key"), "/?key=", nil, bad("query")},
		{"query control", route.Query("key"), "/?key=a%0Ab", nil, bad("query")},
		{"query twice", route.Query("key"), "/?key=a&key=b", nil, bad("query")},
		{"query pair", route.QueryPair([]string{"api_key"}, []string{"application_key"}), "/?api_key=a&application_key=b", nil, &route.Credential{Style: "keypair", Value: "a", Second: "b"}},
		{"query pair second only", route.QueryPair([]string{"api_key"}, []string{"application_key"}), "/?application_key=b", nil, bad("keypair")},
		{"query pair none", route.QueryPair([]string{"api_key"}, []string{"application_key"}), "/", nil, nil},
		{"basic", route.Basic(), "/", []string{"Authorization", b64("ann:pa:ss")}, &route.Credential{Style: "basic", Value: "ann", Second: "pa:ss"}},
		{"basic not base64", route.Basic(), "/", []string{"Authorization", "Basic !!"}, bad("basic")},
		{"basic no colon", route.Basic(), "/", []string{"Authorization", b64("ann")}, bad("basic")},
		{"basic no user", route.Basic(), "/", []string{"Authorization", b64(":x")}, bad("basic")},
		{"basic control", route.Basic(), "/", []string{"Authorization", b64("a\x00:x")}, bad("basic")},
		{"basic bearer", route.Basic(), "/", []string{"Authorization", "Bearer x"}, nil},
		{"basic user", route.BasicUser(), "/", []string{"Authorization", b64("t0ken:")}, &route.Credential{Style: "basic", Value: "t0ken"}},
		{"basic user with password", route.BasicUser(), "/", []string{"Authorization", b64("t0ken:x")}, bad("basic")},
		{"pair none", pair, "/", nil, nil},
		{"pair", pair, "/", []string{"Svc-Api-Key", "a", "Svc-App-Key", "b"}, &route.Credential{Style: "keypair", Value: "a", Second: "b"}},
		{"pair first only", pair, "/", []string{"X-Old-Key", "a"}, &route.Credential{Style: "keypair", Value: "a"}},
		{"pair second only", pair, "/", []string{"Svc-App-Key", "b"}, bad("keypair")},
		{"pair empty second", pair, "/", []string{"Svc-Api-Key", "a", "Svc-App-Key", ""}, bad("keypair")},
		{"first of", both, "/?key=k", []string{"Authorization", "Bearer t"}, &route.Credential{Style: "bearer", Value: "t"}},
		{"first of basic", both, "/?key=k", []string{"Authorization", b64("a:b")}, &route.Credential{Style: "basic", Value: "a", Second: "b"}},
		{"first readable", both, "/?key=k", []string{"Authorization", "junk"}, &route.Credential{Style: "query", Value: "k"}},
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

package articles_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/articles"
)

// testServer has two teams: ada owns both, grace is in neither.
type testServer struct {
	*identitytest.Server
	t     *testing.T
	asked *identity.Authorization
	// reader is who is signed in in the browser.
	reader *identity.User
	teams  map[string]identity.Team
}

func open(t *testing.T, databaseURL string) *testServer {
	t.Helper()
	server := &testServer{t: t, teams: map[string]identity.Team{}}
	server.Server = identitytest.Open(t, func(w *world.World, identity *identity.Identity) module.Module {
		identity.ProvidePages(server.pages())
		return build(w, identity)
	}, databaseURL)
	for name, closed := range map[string]bool{"lyceum": false, "closed": true} {
		team, err := server.Identity.AddTeam(t.Context(),
			identity.NewTeam{Name: name, OwnerID: server.User("ada").ID, SSOOnly: closed})
		if err != nil {
			t.Fatal(err)
		}
		server.teams[name] = team
	}
	return server
}

// call is over HTTPS, as the contract wants.
func (s *testServer) call(method, host, path, body, token string) *httptest.ResponseRecorder {
	headers := []string{}
	if token != "" {
		headers = append(headers, "Authorization: Bearer "+token)
	}
	return s.Call(method, "https://"+host+path, body, headers...)
}

func (s *testServer) token(user, team string, scopes ...string) string {
	s.t.Helper()
	return s.Issue(identity.IssueOptions{
		Kind: identity.KindAccess, Services: []string{articles.Name}, Scopes: scopes, UserID: s.User(user).ID,
		TeamID: s.teams[team].ID,
	})
}

func kind(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var got struct{ Message, Type string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Message == "" {
		t.Fatalf("body %q: %v", w.Body, err)
	}
	return got.Type
}

// TestAdmission is the matrix of hosts and tokens.
func TestAdmission(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	for name, row := range map[string]struct {
		host, token string
		want        int
	}{
		"no token, public":                     {"localhost", "", 401},
		"no token, team":                       {"lyceum.localhost", "", 401},
		"reader, public":                       {"localhost", s.token("ada", "", "read_svc"), 200},
		"writer, public":                       {"localhost", s.token("ada", "", "write_svc"), 403},
		"team reader, public":                  {"localhost", s.token("ada", "", "read_svc_team"), 403},
		"reader, team":                         {"lyceum.localhost", s.token("ada", "", "read_svc"), 403},
		"team reader, team":                    {"lyceum.localhost", s.token("ada", "", "read_svc_team"), 200},
		"team writer, team":                    {"lyceum.localhost", s.token("ada", "", "write_svc_team"), 403},
		"not a member, team":                   {"lyceum.localhost", s.token("grace", "", "read_svc_team"), 403},
		"team token, its team":                 {"lyceum.localhost", s.token("ada", "lyceum", "read_svc_team"), 200},
		"team token, another team":             {"closed.localhost", s.token("ada", "lyceum", "read_svc_team"), 403},
		"ordinary token, single sign-on only":  {"closed.localhost", s.token("ada", "", "read_svc_team"), 403},
		"team token, single sign-on only":      {"closed.localhost", s.token("ada", "closed", "read_svc_team"), 200},
		"unknown team":                         {"unknown.localhost", s.token("ada", "", "read_svc_team"), 404},
		"host with capitals, a port and a dot": {"LYCEUM.localhost.:8443", s.token("ada", "", "read_svc_team"), 200},
		"two labels are no team":               {"a.lyceum.localhost", s.token("ada", "", "read_svc"), 200},
		"unknown token":                        {"localhost", "0123456789012345678901234567890123456789", 401},
	} {
		t.Run(name, func(t *testing.T) {
			w := s.call("GET", row.host, "/api/v2/authenticated_user", "", row.token)
			if w.Code != row.want {
				t.Fatalf("status = %d, want %d: %s", w.Code, row.want, w.Body)
			}
			want := map[int]string{401: "unauthorized", 403: "forbidden", 404: "not_found"}[row.want]
			if want != "" && kind(t, w) != want {
				t.Errorf("type = %s, want %s", kind(t, w), want)
			}
		})
	}
}

func TestPlainHTTPStaysOnTheMachine(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	token := s.token("ada", "", "read_svc")
	for from, want := range map[string]int{"127.0.0.1:1": 200, "[::1]:1": 200, "[::ffff:127.0.0.1]:1": 200,
		"192.0.2.1:1": 403, "nonsense": 403} {
		r := httptest.NewRequest("GET", "http://localhost/api/v2/authenticated_user", nil)
		r.RemoteAddr = from
		r.Header.Set("Authorization", "Bearer "+token)
		if w := s.Do(r); w.Code != want {
			t.Errorf("from %s: %d, want %d", from, w.Code, want)
		}
	}
}

func TestAuthorize(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	c, _, err := s.Identity.AddClient(t.Context(), identity.NewClient{
		Name: "reader", Type: identity.ClientWeb, RedirectURIs: []string{"https://a.example/1", "https://a.example/2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		host, page string
		query      url.Values
		want       int
		redirect   string
	}{
		"first address": {"localhost", "authorize", url.Values{"scope": {"read_svc"}}, 200,
			"https://a.example/1"},
		"a named address": {"localhost", "authorize",
			url.Values{"scope": {"read_svc"}, "redirect_uri": {"https://a.example/2"}}, 200, "https://a.example/2"},
		"an unknown address": {"localhost", "authorize",
			url.Values{"scope": {"read_svc"}, "redirect_uri": {"https://a.example/3"}}, 400, ""},
		"no scope":      {"localhost", "authorize", nil, 400, ""},
		"unknown scope": {"localhost", "authorize", url.Values{"scope": {"read_svc x"}}, 400, ""},
		"team scopes, old": {"localhost", "authorize", url.Values{"scope": {"read_svc_team"}}, 200,
			"https://a.example/1"},
		"team page": {"lyceum.localhost", "team_authorize",
			url.Values{"scope": {"read_svc_team write_svc_team"}}, 200, "https://a.example/1"},
		"team, public scope": {"lyceum.localhost", "team_authorize", url.Values{"scope": {"read_svc_team read_svc"}},
			400, ""},
		"team page elsewhere": {"localhost", "team_authorize", url.Values{"scope": {"read_svc_team"}}, 404, ""},
		"plain proof": {"localhost", "authorize",
			url.Values{"scope": {"read_svc"}, "code_challenge": {"x"}, "code_challenge_method": {"plain"}}, 400, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s.asked = nil
			q := url.Values{"client_id": {c.ID}}
			for n, v := range row.query {
				q[n] = v
			}
			w := s.call("GET", row.host, "/api/v2/oauth/"+row.page+"?"+q.Encode(), "", "")
			if w.Code != row.want {
				t.Fatalf("status = %d, want %d: %s", w.Code, row.want, w.Body)
			}
			if row.want != 200 {
				kind(t, w)
				return
			}
			if s.asked.RedirectURI != row.redirect || (s.asked.TeamID != 0) != (row.page == "team_authorize") {
				t.Errorf("asked = %+v", s.asked)
			}
		})
	}
}

func TestTokenLife(t *testing.T) {
	t.Parallel()
	s := open(t, "")
	c, secret, err := s.Identity.AddClient(t.Context(),
		identity.NewClient{Name: "reader", Type: identity.ClientWeb, RedirectURIs: []string{"https://a.example/1"}})
	if err != nil {
		t.Fatal(err)
	}
	code := func(team int64) string {
		text, err := s.Grants.IssueCode(t.Context(), grants.CodeRequest{
			Service: articles.Name, ClientID: c.ID, RedirectURI: "https://a.example/1",
			Scopes: []string{"read_svc_team"},
			UserID: s.User("ada").ID, TeamID: team, TTL: time.Minute, Format: identity.Hex40(),
		})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	create := func(host, noun, code, secret string) *httptest.ResponseRecorder {
		return s.call("POST", host, "/api/v2/"+noun,
			fmt.Sprintf(`{"client_id":%q,"client_secret":%q,"code":%q}`, c.ID, secret, code), "")
	}
	team := code(s.teams["lyceum"].ID)
	for name, row := range map[string]struct {
		w    *httptest.ResponseRecorder
		want int
	}{
		"wrong secret":               {create("localhost", "access_tokens", code(0), "x"), 401},
		"a team's code, public":      {create("localhost", "access_tokens", team, secret), 400},
		"a team's code, other team":  {create("closed.localhost", "team_access_tokens", team, secret), 400},
		"a public code, team":        {create("lyceum.localhost", "team_access_tokens", code(0), secret), 400},
		"team tokens on public host": {create("localhost", "team_access_tokens", team, secret), 404},
		"no body":                    {s.call("POST", "localhost", "/api/v2/access_tokens", "", ""), 400},
		"no JSON": {s.Call("POST", "https://localhost/api/v2/access_tokens", "a=b",
			"Content-Type: text/plain"), 400},
	} {
		if row.w.Code != row.want {
			t.Errorf("%s: %d, want %d: %s", name, row.w.Code, row.want, row.w.Body)
		}
		kind(t, row.w)
	}
	s.proofKey(c, secret)
	w := create("lyceum.localhost", "team_access_tokens", team, secret)
	var made struct {
		Token  string
		Scopes []string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 201 || len(made.Scopes) != 1 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	mine := s.token("ada", "", "read_svc")
	for who, token := range map[string]string{"without a token": "", "as another user": s.token("grace", "", "read_svc")} {
		want := map[string]int{"": 401}[token]
		if want == 0 {
			want = 404
		}
		w := s.call("DELETE", "lyceum.localhost", "/api/v2/team_access_tokens/"+made.Token, "", token)
		if w.Code != want {
			t.Errorf("delete %s: %d, want %d", who, w.Code, want)
		}
	}
	for _, row := range []struct {
		host string
		want int
	}{{"closed.localhost", 404}, {"lyceum.localhost", 204}, {"lyceum.localhost", 404}} {
		if w := s.call("DELETE", row.host, "/api/v2/team_access_tokens/"+made.Token, "", mine); w.Code != row.want {
			t.Errorf("delete at %s: %d, want %d", row.host, w.Code, row.want)
		}
	}
	if w := s.call("DELETE", "localhost", "/api/v2/access_tokens/"+made.Token, "", mine); w.Code != 404 {
		t.Errorf("deleting what is gone: %d, want 404", w.Code)
	}
	if strings.Contains(s.Log.String(), made.Token) {
		t.Error("the token in the path was logged")
	}
}

// proofKey redeems a code that was asked for with a challenge.
func (s *testServer) proofKey(c identity.Client, secret string) {
	s.t.Helper()
	verifier := strings.Repeat("v", 43)
	sum := sha256.Sum256([]byte(verifier))
	code, err := s.Grants.IssueCode(s.t.Context(), grants.CodeRequest{
		Service: articles.Name, ClientID: c.ID, RedirectURI: "https://a.example/1", Scopes: []string{"read_svc"},
		UserID:    s.User("ada").ID,
		Challenge: base64.RawURLEncoding.EncodeToString(sum[:]), TTL: time.Minute, Format: identity.Hex40(),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, row := range []struct {
		verifier string
		want     int
	}{{"", 400}, {"wrong", 400}, {verifier, 201}} {
		body := fmt.Sprintf(`{"client_id":%q,"client_secret":%q,"code":%q,"code_verifier":%q}`, c.ID, secret, code,
			row.verifier)
		if w := s.call("POST", "localhost", "/api/v2/access_tokens", body, ""); w.Code != row.want {
			s.t.Errorf("verifier %q: %d, want %d: %s", row.verifier, w.Code, row.want, w.Body)
		}
	}
}

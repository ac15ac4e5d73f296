package app_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	api "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/identity"
)

// visitor is a user of the console with what the browser keeps.
type visitor struct {
	t    *testing.T
	url  string
	http *http.Client
}

func signIn(t *testing.T, a *app.App, name string) *visitor {
	t.Helper()
	const password = "correct horse battery"
	values := map[string][]string{"name": {name}, "password": {password}}
	if _, err := a.RunCommand(t.Context(), "user add", values, nil); err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, url: a.URL(), http: &http.Client{Jar: jar}}
	if code, body := v.post("/console/sign-in", values); code != http.StatusOK {
		t.Fatalf("sign in: %d %s", code, body)
	}
	return v
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.url+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	return v.do(r)
}

func (v *visitor) post(path string, form url.Values) (int, string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return v.do(r)
}

func (v *visitor) do(r *http.Request) (int, string) {
	v.t.Helper()
	answer, err := v.http.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// fill sends a form of the console with the session's own token.
func (v *visitor) fill(path string, form url.Values) (int, string) {
	v.t.Helper()
	_, page := v.get("/console/applications")
	found := regexp.MustCompile(`name="form" value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		v.t.Fatalf("no form on %s", page)
	}
	form.Set("form", found[1])
	return v.post(path, form)
}

// TestTokenFormOffersWhatServicesTake looks at the form of every service: it offers the kinds
// that open the demo world, and another is refused with the kind to choose.
func TestTokenFormOffersWhatServicesTake(t *testing.T) {
	a := start(t, config(t), false)
	eve := signIn(t, a, "eve")
	for _, m := range a.Modules() {
		code, form := eve.get("/console/tokens/new?service=" + m.Name)
		if len(m.Keys) == 0 && len(m.Scopes) == 0 && code != http.StatusNotFound {
			t.Errorf("%s takes no credential, and its form answers with %d", m.Name, code)
		}
		if code != http.StatusOK {
			continue
		}
		for _, demo := range m.DemoCredentials {
			if !strings.Contains(form, `<option value="`+string(demo.Kind)+`"`) {
				t.Errorf("%s does not offer %s, which its demo has", m.Name, demo.Kind)
			}
		}
		for _, kind := range []string{"personal", "api", "application"} {
			if strings.Contains(form, `<option value="`+kind+`"`) {
				continue
			}
			values := url.Values{"service": {m.Name}, "kind": {kind}, "days": {"30"}, "note": {"x"}}
			if code, body := eve.fill("/console/tokens", values); code < 400 || !strings.Contains(body, m.Title+" takes ") {
				t.Errorf("%s of %s: %d %s", kind, m.Name, code, body)
			}
		}
	}
}

// TestOperatorScopesAtEveryPage tries each scope of this program that only the
// operator gives at every way to a credential that a request can reach.
func TestOperatorScopesAtEveryPage(t *testing.T) {
	a := start(t, config(t), false)
	eve := signIn(t, a, "eve")
	client := map[string]string{}
	for _, kind := range []string{"device", "web"} {
		made, err := a.RunCommand(t.Context(), "client add", map[string][]string{
			"name": {kind}, "type": {kind}, "owner": {"eve"}, "redirect": {"https://app.example/back"},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		client[kind] = field(t, made, "client_id")
	}
	tried := 0
	for _, m := range a.Modules() {
		for _, s := range m.Scopes {
			if !s.Operator {
				continue
			}
			tried++
			for _, kind := range []string{"personal", "api", "application", "access", "refresh"} {
				for _, scopes := range [][]string{{s.Name}, nil} {
					form := url.Values{"service": {m.Name}, "kind": {kind}, "days": {"30"}, "note": {"x"}, "scope": scopes}
					if code, body := eve.fill("/console/tokens", form); code < 400 {
						t.Errorf("console, %s of %s with %v: %d %s", kind, m.Name, scopes, code, body)
					}
				}
			}
			if code, body := eve.get("/console/tokens/new?service=" + m.Name); code != http.StatusNotFound {
				t.Errorf("the form for %s: %d %s, want 404", m.Name, code, body)
			}
			for _, kind := range []string{"device", "web"} {
				form := url.Values{"name": {"x"}, "type": {kind}, "redirects": {"https://app.example/"}, "scope": {s.Name}}
				if code, body := eve.fill("/console/applications", form); code < 400 {
					t.Errorf("registration of a %s client: %d %s", kind, code, body)
				}
			}
			for _, scope := range []string{s.Name, "video " + s.Name, a.URL() + "/auth/" + s.Name} {
				form := url.Values{"client_id": {client["device"]}, "scope": {scope}}
				for _, path := range []string{"/device/code", "/dag/device/code"} {
					code, body := eve.post(path, form)
					if code != http.StatusBadRequest || !strings.Contains(body, "invalid_scope") {
						t.Errorf("%s with %q: %d %s, want invalid_scope", path, scope, code, body)
					}
				}
				q := url.Values{
					"client_id": {client["web"]}, "redirect_uri": {"https://app.example/back"},
					"response_type": {"code"}, "scope": {scope},
				}
				for _, path := range []string{"/oauth2/authorize?", "/api/v2/oauth/authorize?"} {
					if code, body := eve.get(path + q.Encode()); code != http.StatusBadRequest {
						t.Errorf("%s with %q: %d %s, want 400", path, scope, code, body)
					}
				}
			}
		}
	}
	if tried == 0 {
		t.Error("no scope is marked as the operator's, want kms at least")
	}
}

// TestClusterKeyOverTCP encrypts on the socket as kube-apiserver does and tries
// to decrypt on the listener with a credential of every kind.
func TestClusterKeyOverTCP(t *testing.T) {
	c := config(t)
	c.Listen.KMS, c.KMS.TCP = filepath.Join(t.TempDir(), "kms.sock"), true
	a := start(t, c, false)
	signIn(t, a, "eve")
	socket := api.NewKeyManagementServiceClient(dialRPC(t, "unix://"+c.Listen.KMS, insecure.NewCredentials()))
	sealed, err := socket.Encrypt(t.Context(), &api.EncryptRequest{Plaintext: []byte("CLUSTER-DEK"), Uid: "1"})
	if err != nil {
		t.Fatal(err)
	}
	tcp := api.NewKeyManagementServiceClient(dialRPC(t, strings.TrimPrefix(a.URL(), "http://"), insecure.NewCredentials()))
	idents := a.Identity()
	user, err := idents.UserByName(t.Context(), "eve")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range append(identity.TokenKinds(), identity.KindRefresh) {
		for services, scopes := range map[string][]string{"kms": {"kms"}, "*": {"kms"}, "labels": nil, "kms ": nil} {
			o := identity.IssueOptions{
				Kind: kind, Services: []string{strings.TrimSpace(services)}, Scopes: scopes, UserID: user.ID,
				TTL: time.Hour, Operator: true,
			}
			if kind == identity.KindInstallation {
				continue // needs an organization; the kind is refused like the others
			}
			if kind == identity.KindProject || kind == identity.KindWorkflow {
				o.Repo = "eve/x"
			}
			_, secret, err := idents.IssueToken(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			want := codes.Unauthenticated
			taken := kind == identity.KindPersonal || kind == identity.KindAccess
			switch {
			case taken && len(scopes) > 0:
				want = codes.OK
			case taken && services != "labels":
				want = codes.PermissionDenied
			}
			ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secret)
			_, err = tcp.Decrypt(ctx, &api.DecryptRequest{
				Ciphertext: sealed.Ciphertext, KeyId: sealed.KeyId, Annotations: sealed.Annotations, Uid: "2",
			})
			if status.Code(err) != want {
				t.Errorf("%s token for %q with %v: %v, want %v", kind, services, scopes, err, want)
			}
		}
	}
	for _, kind := range []identity.Kind{identity.KindAPI, identity.KindApplication} {
		_, secret, err := idents.IssueKey(t.Context(), identity.KeyOptions{
			Service: identity.AllServices, Kind: kind, UserID: user.ID,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secret)
		if _, err := tcp.Status(ctx, &api.StatusRequest{}); status.Code(err) != codes.Unauthenticated {
			t.Errorf("%s key for every service: %v, want Unauthenticated", kind, err)
		}
	}
}

// TestClusterKeyIsNotOnTheListener checks the default: the socket alone.
func TestClusterKeyIsNotOnTheListener(t *testing.T) {
	c := config(t)
	a := start(t, c, false)
	if _, _, err := a.FirstAdmin(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn := dialRPC(t, strings.TrimPrefix(a.URL(), "http://"), insecure.NewCredentials())
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+issue(t, a, "kms"))
	if got := rpcCode(ctx, conn); got != codes.Unimplemented {
		t.Errorf("Status on the listener: %v, want Unimplemented", got)
	}
	c.Listen.HTTPS, c.Listen.ClientCAFile = "127.0.0.1:0", "ca.pem"
	if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "kms.tcp") {
		t.Errorf("a client authority without kms.tcp: %v, want it named", err)
	}
}

// TestRefreshTokensOnlyRefresh shows a refresh token that is good for every
// service and lists every scope to each of them.
func TestRefreshTokensOnlyRefresh(t *testing.T) {
	a := start(t, config(t), false)
	signIn(t, a, "eve")
	idents := a.Identity()
	user, err := idents.UserByName(t.Context(), "eve")
	if err != nil {
		t.Fatal(err)
	}
	var scopes []string
	for _, s := range idents.GrantableScopes(identity.AllServices) {
		scopes = append(scopes, s.Name)
	}
	issue := func(kind identity.Kind) string {
		_, secret, err := idents.IssueToken(t.Context(), identity.IssueOptions{
			Kind: kind, Services: []string{identity.AllServices}, Scopes: scopes, UserID: user.ID,
		})
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	refresh, personal := issue(identity.KindRefresh), issue(identity.KindPersonal)
	ask := func(path, secret string) int {
		address := a.URL() + strings.ReplaceAll(path, "TOKEN", secret)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasPrefix(path, "/git/"):
			r.SetBasicAuth("x", secret)
		case !strings.Contains(path, "TOKEN"):
			r.Header.Set("Authorization", "Bearer "+secret)
		}
		code, _ := (&visitor{t: t, http: http.DefaultClient}).do(r)
		return code
	}
	for path, want := range map[string]int{
		"/tasks/v1/users/@me/lists":                       200,
		"/apis/v4/projects/v0":                            200,
		"/api/v2/authenticated_user":                      200,
		"/users/eve/events":                               200,
		"/api/v1.1/me":                                    200,
		"/vcs_a/eve/none.svg?token=TOKEN":                 404,
		"/git/eve/none/info/refs?service=git-upload-pack": 404,
	} {
		if got := ask(path, personal); got != want {
			t.Errorf("%s with a personal token: %d, want %d", path, got, want)
		}
		if got := ask(path, refresh); got != http.StatusUnauthorized {
			t.Errorf("%s with a refresh token: %d, want 401", path, got)
		}
	}
}

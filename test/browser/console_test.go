package browser_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

// server is the built binary with its demo world.
type server struct {
	t      *testing.T
	binary string
	data   string
	url    string
	env    map[string]string
	record *pageRecord
}

func start(t *testing.T) *server {
	t.Helper()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, binary: binary, data: t.TempDir(), record: newPageRecord()}
	p, err := program.Start(t.Context(), program.Options{Binary: binary, Data: s.data, Args: []string{"--demo"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := p.Stop(ctx); err != nil {
			t.Errorf("stop: %v\n%s", err, p.Output())
		}
	})
	s.url = p.URL
	if s.env, err = program.DemoEnv(s.data); err != nil {
		t.Fatal(err)
	}
	return s
}

// post sends a form as an application does.
func (s *server) post(path string, form url.Values) (int, map[string]any) {
	s.t.Helper()
	answer, err := http.Post(s.url+path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	var object map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&object); err != nil {
		s.t.Fatalf("%s: %v", path, err)
	}
	return answer.StatusCode, object
}

func (s *server) device() (deviceCode, userCode string) {
	s.t.Helper()
	status, object := s.post("/device/code", url.Values{
		"client_id": {s.env["STOA_DEVICE_CLIENT_ID"]}, "scope": {"video.readonly video.upload"},
	})
	if status != http.StatusOK {
		s.t.Fatalf("device code: %d %v", status, object)
	}
	return object["device_code"].(string), object["user_code"].(string)
}

func (s *server) poll(deviceCode string) (int, map[string]any) {
	s.t.Helper()
	return s.post("/token", url.Values{
		"client_id": {s.env["STOA_DEVICE_CLIENT_ID"]}, "client_secret": {s.env["STOA_DEVICE_CLIENT_SECRET"]},
		"device_code": {deviceCode}, "grant_type": {"urn:ietf:params:oauth:grant-type:device_code"},
	})
}

// registerApplication adds a client whose redirect URI sends what arrives there.
func (s *server) registerApplication() (id, secret, back string, arrived chan url.Values) {
	s.t.Helper()
	arrived = make(chan url.Values, 4)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			arrived <- r.URL.Query()
		}
		_, _ = io.WriteString(w, "<!doctype html><title>back</title><p>Welcome back")
	}))
	s.t.Cleanup(site.Close)
	back = site.URL + "/back"
	add := exec.Command(s.binary, "client", "add", "Reading list", "--type", "web", "--redirect", back,
		"--data", s.data, "--json")
	add.Env = program.Environ()
	out, err := add.Output()
	if err != nil {
		s.t.Fatalf("stoa client add: %v", err)
	}
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal(out, &made); err != nil {
		s.t.Fatalf("stoa client add printed %s: %v", out, err)
	}
	return made.ID, made.Secret, back, arrived
}

func (s *server) signIn(b *tab) {
	b.t.Helper()
	b.fill("name", s.env["STOA_USER"])
	b.fill("password", s.env["STOA_PASSWORD"])
	b.press("main button")
}

// TestPages goes through all pages on one server, because a demo world takes longer
// to make than its pages take to load. Articles are counted before others are
// written; the rest is independent.
func TestPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	t.Run("articles", s.readArticles)
	t.Run("together", func(t *testing.T) {
		for name, test := range map[string]func(*testing.T){
			"console": s.console, "pages": s.consolePages, "manual": s.manual, "search": s.searchManual,
			"pipelines": s.pipelinePages, "tasks of users": s.userTasks,
			"scripts": s.nothingExecutes,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t)
			})
		}
	})
	if *writePages != "" {
		t.Run("first paint", s.measurePaints)
	}
}

// forTest is the server in another test.
func (s server) forTest(t *testing.T) *server {
	s.t = t
	return &s
}

func (s *server) console(t *testing.T) {
	for _, size := range screens() {
		t.Run(size.name, func(t *testing.T) {
			here := s.forTest(t)
			b := s.newTab(t, size)
			here.deviceFlow(b)
			here.consentFlow(b)
			here.settings(b)
			here.tryAsReader(b)
			here.signOut(b)
		})
	}
}

// deviceFlow signs in on the way, approves one device and denies another.
func (s *server) deviceFlow(b *tab) {
	approved, code := s.device()
	b.open("/device")
	b.wantText("Sign in")
	b.checkStaticPage("sign-in")
	b.fill("name", s.env["STOA_USER"])
	b.fill("password", "wrong password")
	b.press("main button")
	b.wantText("The name or the password is wrong.")
	b.checkStaticPage("sign-in-wrong")
	s.signIn(b)
	b.wantText("Type the code that your device shows")
	b.checkSignedIn("device")
	b.fill("user_code", strings.ToLower(code))
	b.press("main button")
	b.wantText("Codes have capital letters")
	b.checkSignedIn("device-wrong")
	b.fill("user_code", code)
	b.press("main button")
	b.wantText("Authorize Demo television?", "See your account", "Manage your videos", code)
	b.checkSignedIn("device-consent")
	b.press("button[value=allow]")
	b.wantText("Device connected")
	b.checkSignedIn("device-done")
	if status, object := s.poll(approved); status != http.StatusOK {
		b.t.Errorf("poll after approval: %d %v", status, object)
	}

	denied, code := s.device()
	b.open("/device?user_code=" + code)
	b.wantText("Compare this code")
	b.checkSignedIn("device-linked")
	b.press("main button")
	b.press("button[value=deny]")
	b.wantText("Access denied")
	if status, object := s.poll(denied); status != http.StatusForbidden || object["error"] != "access_denied" {
		b.t.Errorf("poll after denial: %d %v", status, object)
	}
}

// consentFlow is the code flow of both services that have one.
func (s *server) consentFlow(b *tab) {
	id, secret, back, arrived := s.registerApplication()
	query := url.Values{
		"client_id": {id}, "redirect_uri": {back}, "response_type": {"code"}, "scope": {"user.id"}, "state": {"x y"},
	}
	b.open("/oauth2/authorize?" + query.Encode())
	b.wantText("Authorize Reading list?", "You will be redirected to")
	b.checkStaticPage("consent")
	b.press("button[value=allow]")
	got := <-arrived
	if got.Get("state") != "x y" || len(got.Get("code")) != 40 {
		b.t.Fatalf("the application got %v", got)
	}
	status, object := s.post("/oauth2/access_token", url.Values{
		"client_id": {id}, "client_secret": {secret}, "grant_type": {"authorization_code"},
		"code": {got.Get("code")}, "redirect_uri": {back},
	})
	if status != http.StatusOK {
		b.t.Errorf("redeem: %d %v", status, object)
	}
	b.open("/oauth2/authorize?" + query.Encode())
	b.press("button[value=deny]")
	if got := <-arrived; got.Get("error") != "access_denied" {
		b.t.Errorf("after a denial the application got %v", got)
	}
	b.open("/api/v2/oauth/authorize?" + url.Values{"client_id": {id}, "scope": {"read_svc write_svc"}}.Encode())
	b.wantText("Authorize Reading list?", "Read your public data")
	b.press("button[value=allow]")
	if got := <-arrived; len(got.Get("code")) != 40 {
		b.t.Errorf("the application got %v", got)
	}
	query.Set("redirect_uri", back+"/")
	b.open("/oauth2/authorize?" + query.Encode())
	b.wantText("This application cannot be let in")
	b.checkStaticPage("refused")
}

// settings creates a token, uses it and revokes it, and registers an application.
func (s *server) settings(b *tab) {
	s.checkHome(b)
	b.open("/console/tokens/new")
	b.checkSignedIn("new-token-service")
	b.press(`a[href="/console/tokens/new?service=articles"]`)
	b.fill("note", "Nightly script")
	b.do("choose a scope", clickID(`input[value=read_svc]`))
	b.checkSignedIn("new-token")
	b.press("main form button")
	b.wantText("Your new token", "Copy it now")
	b.checkSignedIn("secret")
	token := evaluate[string](b, `document.querySelector('input.secret').value`)
	if got := s.authenticatedUser(token); got != http.StatusOK {
		b.t.Errorf("the new token: %d, want 200", got)
	}
	b.open("/console/tokens")
	b.wantText("Nightly script", "Authorized applications", "Demo television")
	b.checkSignedIn("tokens")
	b.press(`button[aria-label="Revoke Nightly script"]`)
	if got := s.authenticatedUser(token); got != http.StatusUnauthorized {
		b.t.Errorf("the revoked token: %d, want 401", got)
	}
	b.open("/console/applications")
	b.fill("name", "My site")
	b.press("#new button")
	b.wantText("Redirect URI is required for a web application.")
	b.checkSignedIn("refused-application")
	b.fill("redirects", "https://mine.example/back")
	b.press("#new button")
	b.wantText("Client secret")
	b.open("/console/applications")
	b.wantText("My site", "Redirect URI https://mine.example/back")
	b.checkSignedIn("applications")
	b.open("/console/sessions")
	b.wantText("Chrome on Linux", "current session")
	b.checkSignedIn("sessions")
	b.open("/console/password")
	b.checkSignedIn("password")
	b.open("/console/nowhere")
	b.wantText("There is no page at this address")
	b.checkSignedIn("not-found")
}

// signOut signs out with the keyboard alone.
func (s *server) signOut(b *tab) {
	b.open("/console")
	b.do("sign out", pressEnter(`header button`))
	b.do("wait", appears(`#password`))
	b.open("/console/tokens")
	b.wantText("Sign in")
}

func (s *server) authenticatedUser(token string) int {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.url+"/api/v2/authenticated_user", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

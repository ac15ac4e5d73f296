package app_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/listen"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/telemetry"
)

// TestMain counts goroutines at the end. The clock of the highlighter's regular
// expressions is not ours: it ends by itself a second after the last match.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

func config(t *testing.T) app.Config {
	t.Helper()
	c := app.DefaultConfig()
	c.Data = t.TempDir()
	c.Listen.HTTP = "127.0.0.1:0"
	return c
}

// start runs an app on a free port until the test ends.
func start(t *testing.T, c app.Config, demo bool) *app.App {
	t.Helper()
	a, err := app.New(t.Context(), app.Options{Config: c, LogTo: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := a.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if demo {
		if err := a.SeedDemo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

func get(t *testing.T, url, bearer string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// TestDemo makes one demo world and checks everything that is promised of it;
// making one is the slowest thing there is.
func TestDemo(t *testing.T) {
	c := config(t)
	a := start(t, c, true)
	env, err := a.RefreshDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("a private file", func(t *testing.T) {
		info, err := os.Stat(filepath.Join(c.Data, "demo.env"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("demo.env: %v, %v; want mode 600", info, err)
		}
		if left, _ := filepath.Glob(filepath.Join(c.Data, "demo.env.*")); len(left) > 0 {
			t.Errorf("%v is left behind", left)
		}
	})
	t.Run("shares nothing with another world", func(t *testing.T) { sharesNothing(t, a, env["STOA_TOKEN"]) })
	t.Run("used up keys are replaced", func(t *testing.T) { replacesKeys(t, a, env) })
	t.Run("a second start keeps everything", func(t *testing.T) {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		second := start(t, c, true)
		if got, body := get(t, second.URL()+labelLimits, env["STOA_TOKEN"]); got != 200 {
			t.Errorf("status = %d, want 200: %s", got, body)
		}
		name, _, err := second.FirstAdmin(t.Context())
		if err != nil || name != "" {
			t.Errorf("first administrator = %q, %v; want none on a folder with users", name, err)
		}
	})
}

// labelLimits is a call that any token for the service may make.
const labelLimits = "/v2/limits/label?name=limits/label"

// sharesNothing is the promise of worlds: two complete sets in one process,
// neither knowing the other's users.
func sharesNothing(t *testing.T, a *app.App, token string) {
	b := start(t, config(t), false)
	if _, _, err := b.FirstAdmin(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := issue(t, b, "labels")
	for _, row := range []struct {
		url, token string
		want       int
	}{
		{a.URL(), token, 200},
		{b.URL(), other, 200},
		{a.URL(), other, 401},
		{b.URL(), token, 401},
	} {
		if got, body := get(t, row.url+labelLimits, row.token); got != row.want {
			t.Errorf("status = %d, want %d: %s", got, row.want, body)
		}
	}
}

// replacesKeys uses a key up, as the printed example does, and asks again.
func replacesKeys(t *testing.T, a *app.App, env map[string]string) {
	used := env["STOA_SCHEDULING_KEY"]
	if err := a.Identity().RevokeSecret(t.Context(), "apikeys", used); err != nil {
		t.Fatal(err)
	}
	fresh, err := a.RefreshDemo(t.Context())
	if err != nil || fresh["STOA_SCHEDULING_KEY"] == used || fresh["STOA_SCHEDULING_KEY"] == "" {
		t.Errorf("key = %q, %v; want a new one", fresh["STOA_SCHEDULING_KEY"], err)
	}
	if fresh["STOA_TOKEN"] != env["STOA_TOKEN"] {
		t.Error("a working token was replaced")
	}
}

func TestDemoIsCareful(t *testing.T) {
	c := config(t)
	t.Run("not beyond loopback", func(t *testing.T) {
		beyond := c
		beyond.Listen.HTTP = "0.0.0.0:0"
		wantFailure(t, beyond.CheckDemo(), module.Config)
		wantFailure(t, seed(t, beyond, false), module.Config)
	})
	t.Run("not where one was never finished", func(t *testing.T) {
		mark := filepath.Join(c.Data, "demo.env.unfinished")
		if err := os.WriteFile(mark, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		wantFailure(t, seed(t, c, false), module.Conflict)
		if err := os.Remove(mark); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("not over other data", func(t *testing.T) {
		wantFailure(t, seed(t, c, true), module.Conflict)
	})
}

func seed(t *testing.T, c app.Config, populated bool) error {
	t.Helper()
	a, err := app.New(t.Context(), app.Options{Config: c, LogTo: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if populated {
		if _, _, err := a.FirstAdmin(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return errors.Join(a.SeedDemo(t.Context()), a.Close())
}

func wantFailure(t *testing.T, err error, want module.Failure) {
	t.Helper()
	var failure *module.CommandError
	if !errors.As(err, &failure) || failure.Failure != want {
		t.Errorf("err = %v, want failure %s", err, want)
	}
}

// TestServer looks at one server from outside.
func TestServer(t *testing.T) {
	c := config(t)
	c.Listen.HTTPS = "127.0.0.1:0"
	a := start(t, c, false)
	t.Run("answers outside services", func(t *testing.T) { answersOutsideServices(t, a) })
	t.Run("platform paths are read only", func(t *testing.T) { platformPathsAreReadOnly(t, a) })
	t.Run("certificates", func(t *testing.T) { certificates(t, a, c.Data) })
	t.Run("both schemes on the plain port", func(t *testing.T) { bothSchemes(t, a) })
	t.Run("tidy modules", func(t *testing.T) { tidyModules(t, a.Modules()) })
}

// platformPathsAreReadOnly: /healthz and its like take nothing.
func platformPathsAreReadOnly(t *testing.T, a *app.App) {
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, a.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusMethodNotAllowed || response.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("DELETE %s = %d, Allow %q; want 405 and GET, HEAD", path, response.StatusCode, response.Header.Get("Allow"))
		}
	}
}

// bothSchemes: a user who types the address of the device page leaves the scheme out.
func bothSchemes(t *testing.T, a *app.App) {
	text, err := os.ReadFile(a.CAFile())
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	for _, base := range []string{a.URL(), strings.Replace(a.URL(), "http:", "https:", 1), a.HTTPSURL()} {
		response, err := client.Get(base + "/healthz")
		if err != nil {
			t.Error(err)
			continue
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK || (response.TLS != nil) != strings.HasPrefix(base, "https:") {
			t.Errorf("%s = %d, TLS %t", base, response.StatusCode, response.TLS != nil)
		}
	}
}

func certificates(t *testing.T, a *app.App, data string) {
	if !strings.HasPrefix(a.HTTPSURL(), "https://127.0.0.1:") || a.CAFile() == "" {
		t.Fatalf("https = %q, authority = %q", a.HTTPSURL(), a.CAFile())
	}
	own, err := os.ReadFile(a.CAFile())
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := os.ReadFile(filepath.Join(data, listen.BundleName))
	if err != nil || !strings.HasSuffix(string(bundle), string(own)) {
		t.Errorf("the bundle (%v) lacks our own root", err)
	}
	roots, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	if err == nil && !strings.HasPrefix(string(bundle), string(roots)) {
		t.Error("the bundle lacks the machine's roots")
	}
}

func TestStopLetsRequestsFinish(t *testing.T) {
	c := config(t)
	a, err := app.New(t.Context(), app.Options{Config: c, LogTo: io.Discard, Clock: clock.Real()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	ready := make(chan struct{})
	go func() {
		done <- errors.Join(a.Run(ctx, func() error { close(ready); return nil }), a.Close())
	}()
	<-ready
	if got, _ := get(t, a.URL()+"/healthz", ""); got != 200 {
		t.Errorf("status = %d, want 200", got)
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("stop: %v", err)
		}
	case <-time.After(15 * time.Second):
		t.Fatal("did not stop within 15 seconds")
	}
}

// tidyModules checks what app relies on for every service.
func tidyModules(t *testing.T, modules []module.Module) {
	names, prefixes := map[string]bool{}, map[string]string{}
	for _, m := range modules {
		if m.Name == "" || m.Title == "" || len(m.Letter) != 1 || names[m.Name] {
			t.Errorf("module %+v lacks a name of its own", m)
		}
		names[m.Name] = true
		for _, p := range m.Prefixes {
			if other, taken := prefixes[p]; taken {
				t.Errorf("%s and %s both own %s", m.Name, other, p)
			}
			prefixes[p] = m.Name
		}
		for _, r := range m.Routes {
			below := func(p string) bool { return r.Pattern == p || strings.HasPrefix(r.Pattern, p+"/") }
			if len(m.Prefixes) > 0 && len(m.Hosts) == 0 && !slices.ContainsFunc(m.Prefixes, below) {
				t.Errorf("%s: %s is below none of its prefixes", m.Name, r.Pattern)
			}
		}
		if m.Example.Shell == "" {
			t.Errorf("%s has no example for newcomers", m.Name)
		}
	}
	letters := []string{}
	for _, m := range modules {
		letters = append(letters, m.Letter)
	}
	if !slices.IsSorted(letters) {
		t.Errorf("services are listed as %v, want the contract's order", letters)
	}
}

func TestCommandsAreTidy(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range app.Commands() {
		if c.Short == "" || c.Run == nil || seen[c.Path] {
			t.Errorf("command %q: short %q, declared twice %v", c.Path, c.Short, seen[c.Path])
		}
		seen[c.Path] = true
	}
	for _, want := range []string{
		"user add", "user list", "org add", "org member add", "team add", "client add", "token issue", "key issue",
	} {
		if !seen[want] {
			t.Errorf("there is no command %q", want)
		}
	}
}

func TestConfigErrorsComeTogether(t *testing.T) {
	t.Parallel()
	c := app.DefaultConfig()
	c.Data, c.Dialect, c.Listen.HTTP, c.Log.Level, c.Labels.MaxFields, c.Workers = "", "klingon", "nowhere", "loud", 0, 0
	c.Listen.HTTPS = "127.0.0.1:65536"
	_, err := app.New(t.Context(), app.Options{Config: c})
	if !errors.Is(err, app.ErrConfig) {
		t.Fatalf("err = %v, want a configuration error", err)
	}
	for _, want := range []string{
		"data:", "dialect", "listen.http:", "listen.https:", "log.level", "labels.max_fields", "workers",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not named in: %v", want, err)
		}
	}
}

// Offline, what cannot work without the outside is refused at the start, all at
// once; what holds the server's own data is not meant.
func TestOfflineConfig(t *testing.T) {
	t.Parallel()
	c := app.DefaultConfig()
	c.Offline, c.Database.URL = true, "postgres://elsewhere.example/stoa"
	if err := c.Validate(); err != nil {
		t.Errorf("defaults with a database elsewhere: %v, want valid", err)
	}
	c.KMS.Provider, c.Log.OTLP, c.Snapshots.Backend = "awskms", "https://traces.example", "https://metrics.example"
	err := c.Validate()
	for _, want := range []string{"offline: kms.awskms", "offline: log.otlp", "offline: snapshots.backend"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestLoadConfig(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "stoa.yaml")
	text := "listen:\n  http: 127.0.0.1:1\nlabels:\n  max_fields: 7\n  field:\n    date_min: 1900-01-01\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := app.LoadConfig(file, []string{"STOA_LISTEN_HTTP=127.0.0.1:2", "STOA_TOKEN=x"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen.HTTP != "127.0.0.1:2" || c.Labels.MaxFields != 7 || c.Labels.Field.DateMin.Year != 1900 {
		t.Errorf("config = %+v", c)
	}
	if _, err := app.LoadConfig(file+".missing", nil); !errors.Is(err, app.ErrConfig) {
		t.Errorf("a missing file: %v, want a configuration error", err)
	}
}

// answersOutsideServices: every answer has a request id, and a path without an
// owner shows in the console.
func answersOutsideServices(t *testing.T, a *app.App) {
	for _, row := range []struct {
		path, accept, media, want string
		status                    int
	}{
		{"/", "", "application/json", `"name":"tasks"`, 200},
		{"/healthz", "", "application/json", "ok", 200},
		{"/readyz", "", "application/json", `"status":"ready"`, 200},
		{"/nope", "", "application/json", "no service owns /nope", 404},
		{"/v2/event-types", "", "application/json; charset=utf-8", `"status":"error"`, 404},
		{"/v2/bookings/1", "", "application/json; charset=utf-8", `"status":"error"`, 404},
		{"/v2/labelling", "", "application/json; charset=utf-8", `"status":"error"`, 404},
		{"/v2/labels/none/such", "", "application/json; charset=UTF-8", `"status":"NOT_FOUND"`, 404},
		{"/no%3Cpe", "text/html", "text/html; charset=utf-8", "<code>/no&lt;pe</code>", 404},
		{"/nope", "text/html", "text/html; charset=utf-8", `rel="stylesheet" href="/console/style.css?v=`, 404},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.URL()+row.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", row.accept)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != row.status || !strings.Contains(string(body), row.want) {
			t.Errorf("%s = %d %s, %v; want %d and %s", row.path, response.StatusCode, body, err, row.status, row.want)
		}
		if got := response.Header.Get("Content-Type"); got != row.media {
			t.Errorf("%s is %s, want %s", row.path, got, row.media)
		}
		if response.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s has no X-Request-Id", row.path)
		}
	}
	i := slices.IndexFunc(a.World().Telemetry.Recent(), func(e telemetry.Entry) bool { return e.Path == "/nope" })
	if i < 0 || a.World().Telemetry.Recent()[i].Reason == "" {
		t.Errorf("recent = %+v, want /nope with its reason", a.World().Telemetry.Recent())
	}
}

// TestCredentialFormats: the services whose contract prints the form of a token or
// key declare it.
func TestCredentialFormats(t *testing.T) {
	a, err := app.New(t.Context(), app.Options{Config: config(t), LogTo: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	user, err := a.Identity().AddUser(t.Context(), identity.NewUser{Name: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	for service, want := range map[string]string{
		"articles": `^[0-9a-f]{40}$`, "pipelines": `^[0-9a-f]{40}$`, "analytics": `^[0-9A-Za-z]{40}$`,
		"events": `^[a-z]+_[0-9A-Za-z]{36}$`, "tasks": `^[0-9A-Za-z_-]{43}$`, "*": `^[0-9a-f]{40}$`,
	} {
		_, secret, err := a.Identity().IssueToken(t.Context(), identity.IssueOptions{
			Kind: identity.KindPersonal, Services: []string{service}, UserID: user.ID,
		})
		if err != nil || !regexp.MustCompile(want).MatchString(secret) {
			t.Errorf("a token of %s has another form than %s: %v", service, want, err)
		}
	}
	for service, want := range map[string]string{"apikeys": `^[a-z]+_[0-9a-f]{32}$`, "snapshots": `^[0-9a-f]{32}$`} {
		_, secret, err := a.Identity().IssueKey(t.Context(), identity.KeyOptions{Service: service, UserID: user.ID})
		if err != nil || !regexp.MustCompile(want).MatchString(secret) {
			t.Errorf("an API key of %s has another form than %s: %v", service, want, err)
		}
	}
}

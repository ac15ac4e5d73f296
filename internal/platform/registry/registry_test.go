package registry_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/platform/registry/machineconfig"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// nothing is a machine without package managers.
func nothing(context.Context, string, ...string) (string, error) {
	return "", errors.New("not installed")
}

func TestFind(t *testing.T) {
	t.Parallel()
	says := func(answer string) func(context.Context, string, ...string) (string, error) {
		return func(context.Context, string, ...string) (string, error) { return answer, nil }
	}
	for _, row := range []struct {
		name  string
		kind  registry.Kind
		conf  []string
		env   map[string]string
		files map[string]string
		run   func(context.Context, string, ...string) (string, error)
		want  []string
		from  string
	}{
		{
			name: "configuration wins", kind: registry.NPM, conf: []string{"https://a.example/npm/"},
			env:  map[string]string{"npm_config_registry": "https://b.example"},
			want: []string{"https://a.example/npm"}, from: "the configuration of Stoa",
		},
		{
			name: "go environment drops the words", kind: registry.Go,
			env:  map[string]string{"GOPROXY": "https://a.example,https://b.example|direct"},
			want: []string{"https://a.example", "https://b.example"}, from: "the environment variable GOPROXY",
		},
		{
			name: "go env file", kind: registry.Go,
			files: map[string]string{"/home/u/.config/go/env": "GOFLAGS=-x\nGOPROXY=https://a.example\n"},
			want:  []string{"https://a.example"}, from: "/home/u/.config/go/env",
		},
		{name: "go asked", kind: registry.Go, run: says("https://a.example,direct\n"), want: []string{"https://a.example"},
			from: "go env"},
		{
			name: "npm rc file", kind: registry.NPM,
			files: map[string]string{"/home/u/.npmrc": "fund=false\nregistry = https://a.example/\n"},
			want:  []string{"https://a.example"}, from: "/home/u/.npmrc",
		},
		{name: "npm asked", kind: registry.NPM, run: says("https://a.example/\n"), want: []string{"https://a.example"},
			from: "npm config"},
		{
			name: "pip file", kind: registry.PyPI,
			files: map[string]string{"/etc/pip.conf": "[global]\nindex-url = https://user:secret@a.example/simple/\n"},
			want:  []string{"https://a.example/simple"}, from: "/etc/pip.conf",
		},
		{
			name: "cargo source replacement", kind: registry.Cargo,
			files: map[string]string{
				"/home/u/.cargo/config.toml": "[source.crates-io]\nreplace-with = \"inner\"\n" +
					"[source.inner]\nregistry = \"sparse+https://a.example/index/\"\n"},
			want: []string{"https://a.example/index"}, from: "/home/u/.cargo/config.toml",
		},
		{
			name: "cargo index folder", kind: registry.Cargo,
			files: map[string]string{"/home/u/.cargo/registry/index/index.a.example-1949cf8c6b5b557f/config.json": "{}"},
			want:  []string{"https://index.a.example"}, from: "/home/u/.cargo/registry/index",
		},
		{
			name: "maven mirror", kind: registry.Maven,
			files: map[string]string{
				"/home/u/.m2/settings.xml": "<settings><mirrors>" +
					"<mirror><url>https://x.example</url><mirrorOf>other</mirrorOf></mirror>" +
					"<mirror><url>https://a.example/m2</url><mirrorOf>external:*</mirrorOf></mirror></mirrors></settings>"},
			want: []string{"https://a.example/m2"}, from: "/home/u/.m2/settings.xml",
		},
		{
			name: "nuget config", kind: registry.NuGet,
			files: map[string]string{
				"/home/u/.nuget/NuGet/NuGet.Config": `<configuration><packageSources><clear/><add key="local" value="/srv/feed"/><add key="a" value="https://a.example/v3/index.json"/></packageSources></configuration>`},
			want: []string{"https://a.example/v3/index.json"}, from: "/home/u/.nuget/NuGet/NuGet.Config",
		},
		{name: "dotnet asked", kind: registry.NuGet,
			run:  says("E https://a.example/v3/index.json\nD https://b.example/v3/index.json\n"),
			want: []string{"https://a.example/v3/index.json"}, from: "dotnet nuget"},
		{
			name: "gem rc", kind: registry.RubyGems,
			files: map[string]string{
				"/home/u/.gemrc": ":backtrace: false\n:sources:\n- https://a.example/\n:verbose: true\n- https://no.example\n"},
			want: []string{"https://a.example"}, from: "/home/u/.gemrc",
		},
		{name: "gem asked", kind: registry.RubyGems, run: says("*** CURRENT SOURCES ***\n\nhttps://a.example/\n"),
			want: []string{"https://a.example"}, from: "gem sources"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for path, text := range row.files {
				write(t, filepath.Join(root, path), []byte(text))
			}
			run := row.run
			if run == nil {
				run = nothing
			}
			env := map[string]string{"HOME": "/home/u"}
			for k, v := range row.env {
				env[k] = v
			}
			f := machineconfig.New(machineconfig.Options{
				Configured: map[registry.Kind][]string{row.kind: row.conf},
				Getenv:     func(k string) string { return env[k] }, Run: run, Root: root,
			})
			got, err := f.Find(t.Context(), row.kind)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range got {
				if i >= len(row.want) || a.URL != row.want[i] || a.From != row.from {
					t.Errorf("got %q from %q, want %q from %q", a.URL, a.From, row.want, row.from)
				}
			}
			if len(got) != len(row.want) {
				t.Errorf("got %d addresses, want %d", len(got), len(row.want))
			}
		})
	}
}

func TestFindReadsMavensOwnDescriptor(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var jar bytes.Buffer
	w := zip.NewWriter(&jar)
	file, err := w.Create("org/apache/maven/model/pom-4.0.0.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(
		[]byte("<project><repositories><repository><url>https://a.example/m2</url>" +
			"</repository></repositories></project>")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "/usr/share/maven/lib/maven-model-builder-3.x.jar"), jar.Bytes())
	f := machineconfig.New(machineconfig.Options{Run: nothing, Root: root})
	got, err := f.Find(t.Context(), registry.Maven)
	if err != nil || len(got) != 1 || got[0].URL != "https://a.example/m2" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestFindNothing(t *testing.T) {
	t.Parallel()
	f := machineconfig.New(machineconfig.Options{Run: nothing, Root: t.TempDir()})
	for _, kind := range registry.Kinds() {
		if got, err := f.Find(t.Context(), kind); !errors.Is(err, machineconfig.ErrNone) {
			t.Errorf("%s: got %v, %v, want ErrNone", kind, got, err)
		}
	}
}

// A package manager that is too slow is not the same as none.
func TestFindSilent(t *testing.T) {
	t.Parallel()
	late := func(context.Context, string, ...string) (string, error) {
		return "", fmt.Errorf("npm: %w", context.DeadlineExceeded)
	}
	f := machineconfig.New(machineconfig.Options{Run: late, Root: t.TempDir()})
	got, err := f.Find(t.Context(), registry.NPM)
	if !errors.Is(err, machineconfig.ErrSilent) || errors.Is(err, machineconfig.ErrNone) {
		t.Errorf("got %v, %v, want ErrSilent", got, err)
	}
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// trusted is a client that may speak to a loopback server.
func trusted(t *testing.T, server *httptest.Server, o registry.ClientOptions) *registry.Client {
	t.Helper()
	c := registry.NewClient(o)
	a, err := registry.NewAddress(registry.NPM, server.URL, "test")
	if err != nil {
		t.Fatal(err)
	}
	c.Trust(a)
	t.Cleanup(c.Close)
	return c
}

func TestGet(t *testing.T) {
	t.Parallel()
	var flaky atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write([]byte("body " + r.Header.Get("Accept")))
	})
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	mux.HandleFunc("/forbidden", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	mux.HandleFunc("/flaky", func(w http.ResponseWriter, _ *http.Request) {
		if flaky.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c := trusted(t, server, registry.ClientOptions{})

	got, err := c.Get(t.Context(), registry.Request{URL: server.URL + "/ok", Accept: "text/x"})
	if err != nil || string(got.Body) != "body text/x" || got.ETag != `"1"` {
		t.Errorf("got %+v, %v", got, err)
	}
	for path, want := range map[string]error{"/missing": registry.ErrNotFound, "/gone": registry.ErrNotFound} {
		if _, err := c.Get(t.Context(), registry.Request{URL: server.URL + path}); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
	}
	if _, err := c.Get(t.Context(), registry.Request{URL: server.URL + "/ok", ETag: `"1"`}); !errors.Is(err,
		registry.ErrNotModified) {
		t.Errorf("conditional: got %v, want ErrNotModified", err)
	}
	if _, err := c.Get(t.Context(), registry.Request{URL: server.URL + "/ok", MaxBody: 2}); !errors.Is(err,
		registry.ErrTooLarge) {
		t.Errorf("large: got %v, want ErrTooLarge", err)
	}
	var status *registry.StatusError
	if _, err := c.Get(t.Context(), registry.Request{URL: server.URL + "/forbidden"}); !errors.As(err, &status) ||
		status.Status != 403 {
		t.Errorf("forbidden: got %v", err)
	}
	if _, err := c.Get(t.Context(), registry.Request{URL: server.URL + "/flaky"}); err != nil {
		t.Errorf("a host that recovers: got %v after %d attempts", err, flaky.Load())
	}
}

func TestGetRefusesInnerHostsThatAreNoRegistry(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	c := registry.NewClient(registry.ClientOptions{Attempts: 1})
	t.Cleanup(c.Close)
	var network *registry.NetworkError
	if _, err := c.Get(t.Context(), registry.Request{URL: server.URL}); !errors.As(err, &network) {
		t.Errorf("got %v, want the connection refused by the guard", err)
	}
	// A registry's redirect does not open the door either.
	front := httptest.NewServer(http.RedirectHandler(server.URL, http.StatusFound))
	t.Cleanup(front.Close)
	if _, err := trusted(t, front, registry.ClientOptions{Attempts: 1}).Get(t.Context(),
		registry.Request{URL: front.URL}); !errors.As(err, &network) {
		t.Errorf("redirect: got %v, want the connection refused by the guard", err)
	}
}

func TestGetSendsTheAddressesCredentialToItsHostOnly(t *testing.T) {
	t.Parallel()
	var user atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		user.Store(name + ":" + password)
	}))
	t.Cleanup(server.Close)
	u, _ := url.Parse(server.URL)
	a, err := registry.NewAddress(registry.PyPI, "http://me:secret@"+u.Host+"/simple", "test")
	if err != nil || a.URL != server.URL+"/simple" {
		t.Fatalf("got %v, %v", a, err)
	}
	c := registry.NewClient(registry.ClientOptions{})
	t.Cleanup(c.Close)
	c.Trust(a)
	if _, err := c.Get(t.Context(), registry.Request{URL: a.URL}); err != nil || user.Load() != "me:secret" {
		t.Errorf("got %v, credential %v", err, user.Load())
	}
}

// TestOneHostWithSeveralRegistries: each has its own credential, and one
// without does not take it from the others.
func TestOneHostWithSeveralRegistries(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		_, _ = w.Write([]byte(name + ":" + password))
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	c := registry.NewClient(registry.ClientOptions{})
	t.Cleanup(c.Close)
	for _, text := range []string{"http://one:1@" + host + "/npm", "http://two:2@" + host + "/npm/private",
		"http://" + host + "/simple"} {
		a, err := registry.NewAddress(registry.NPM, text, "test")
		if err != nil {
			t.Fatal(err)
		}
		c.Trust(a)
	}
	for path, want := range map[string]string{
		"/npm/left": "one:1", "/npm": "one:1", "/npm/private/left": "two:2", "/npm/privateer": "one:1",
		"/files/left.tgz": "one:1",
	} {
		got, err := c.Get(t.Context(), registry.Request{URL: server.URL + path})
		if err != nil || string(got.Body) != want {
			t.Errorf("%s: %s, %v, want %s", path, got.Body, err, want)
		}
	}
}

func TestTemporary(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		err  error
		want bool
	}{
		{&registry.StatusError{Status: 503}, true},
		{&registry.StatusError{Status: 429}, true},
		{&registry.StatusError{Status: 403}, false},
		{&registry.NetworkError{}, true},
		{registry.ErrResting, true},
		{context.DeadlineExceeded, true},
		{registry.ErrNotFound, false},
		{registry.ErrTooLarge, false},
		{nil, false},
	} {
		if got := registry.Temporary(fmt.Errorf("read: %w", row.err)); got != row.want {
			t.Errorf("%v: %v, want %v", row.err, got, row.want)
		}
	}
}

func TestAHostThatFailsRests(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(server.Close)
	c := trusted(t, server, registry.ClientOptions{Attempts: 1, Timeout: 5 * time.Second})
	for range 5 {
		if _, err := c.Get(t.Context(), registry.Request{URL: server.URL}); err == nil {
			t.Fatal("a failing host gave an answer")
		}
	}
	if _, err := c.Get(t.Context(), registry.Request{URL: server.URL}); !errors.Is(err, registry.ErrResting) {
		t.Errorf("got %v, want ErrResting", err)
	}
	if got := asked.Load(); got != 5 {
		t.Errorf("the resting host was asked %d times, want 5", got)
	}
}

package packages_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/registry/machineconfig"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages"
)

// found serves packages with the registry in the environment, not configured.
func found(f *fakeRegistry, change func(*packages.Config)) identitytest.Build {
	return func(w *world.World, identity *identity.Identity) module.Module {
		c := packages.DefaultConfig()
		change(&c)
		return packages.New(w, identity, c, func(name string) string {
			return map[string]string{"npm_config_registry": strings.Replace(f.URL, "://", "://me:hunter2@", 1)}[name]
		}).Module()
	}
}

// A registry that was found is asked as packages.discover says, never with the
// credential that stood there; who is not asked is said with the reason, not as
// "not found".
func TestFoundRegistries(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		change func(*packages.Config)
		status int
		reason string
	}{
		{"auto on loopback", func(*packages.Config) {}, http.StatusOK, "every listener is on loopback"},
		{
			"auto, reachable", func(c *packages.Config) { c.Reachable = "others can reach this server" }, 503,
			"others can reach",
		},
		{"true, reachable", func(c *packages.Config) {
			c.Discover, c.Reachable = packages.DiscoverTrue, "others can reach this server"
		}, http.StatusOK, "packages.discover is true"},
		{"false", func(c *packages.Config) { c.Discover = packages.DiscoverFalse }, 503, "packages.discover is false"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f := newRegistry(t)
			var sent atomic.Int64
			f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "" {
					sent.Add(1)
				}
				f.good(w, r)
			})
			h := identitytest.SQLite(t, found(f, row.change))
			w := h.Call("GET", leftPath, "")
			if w.Code != row.status || row.status != 200 && !strings.Contains(w.Body.String(), row.reason) {
				t.Errorf("status %d %s, want %d and %q", w.Code, w.Body, row.status, row.reason)
			}
			if row.status != 200 && f.asked.Load() > 0 {
				t.Errorf("the registry was asked %d times, want never", f.asked.Load())
			}
			got, err := run(t, h, "packages sources")
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(got)
			var out struct {
				Sources []struct {
					System, Address, Reason, Credential string
					Used                                bool
				}
			}
			if err := json.Unmarshal(text, &out); err != nil {
				t.Fatal(err)
			}
			for _, s := range out.Sources {
				if s.System != "NPM" {
					continue
				}
				if s.Used != (row.status == 200) || !strings.Contains(s.Reason, row.reason) ||
					s.Credential != "found, not sent" {
					t.Errorf("source %+v, want used %t because %q", s, row.status == 200, row.reason)
				}
			}
			if strings.Contains(string(text), "hunter2") || sent.Load() > 0 {
				t.Errorf("the credential is shown or was sent (%d times): %s", sent.Load(), text)
			}
		})
	}
}

// Without any registry the answer is unknown, which is not "not found".
func TestNoRegistryIsSaid(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, pulling(newRegistry(t), func(c *packages.Config) {
		c.Discover = packages.DiscoverFalse
	}))
	for _, path := range []string{
		"/v3/systems/pypi/packages/left", "/v3/systems/pypi/packages/left/versions/1.0",
		"/v3alpha/purl/pkg:pypi%2Fleft",
		"/v3alpha/query?versionKey.system=PYPI&versionKey.name=left",
		"/v3/systems/pypi/packages/left/versions/1.0:dependencies",
	} {
		w := h.Call("GET", path, "")
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "packages.registries.pypi") {
			t.Errorf("%s: %d %s, want 503 with the setting", path, w.Code, w.Body)
		}
	}
}

func batchOf(from, n int) string {
	var keys []string
	for i := range n {
		keys = append(keys,
			fmt.Sprintf(`{"versionKey":{"system":"NPM","name":"unknown-%d","version":"1.0.0"}}`, from+i))
	}
	return `{"requests":[` + strings.Join(keys, ",") + `]}`
}

// A batch causes a bounded number of fetches, and so do all requests of an
// address in an hour; what was left out is said in a header. Another address has
// limits of its own.
func TestFetchesAreBounded(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		post := func(from int, address string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v3alpha/versionbatch",
				strings.NewReader(batchOf(from, 60)))
			r.Header.Set("Content-Type", "application/json")
			r.RemoteAddr = address + ":1234"
			w := httptest.NewRecorder()
			h.Module.Handler.ServeHTTP(w, r)
			return w
		}
		w := post(0, "192.0.2.1")
		if got := f.asked.Load(); w.Code != 200 || got != 20 ||
			!strings.Contains(w.Header().Get("Stoa-Incomplete"), "40 versions") {
			t.Errorf("status %d, %d fetches, header %q, want 20 and 40 left out", w.Code, got,
				w.Header().Get("Stoa-Incomplete"))
		}
		post(100, "192.0.2.1")
		if got := f.asked.Load(); got != 30 {
			t.Errorf("%d fetches for the address, want 30 in an hour", got)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v3/systems/npm/packages/other", nil)
		r.RemoteAddr = "192.0.2.1:99"
		single := httptest.NewRecorder()
		h.Module.Handler.ServeHTTP(single, r)
		if single.Code != http.StatusTooManyRequests || single.Header().Get("Retry-After") == "" {
			t.Errorf("beyond the limit: %d %s, want 429", single.Code, single.Body)
		}
		post(200, "192.0.2.2")
		if got := f.asked.Load(); got != 50 {
			t.Errorf("%d fetches with another address, want 50", got)
		}
		h.Clock.Advance(time.Hour + time.Second)
		post(300, "192.0.2.1")
		if got := f.asked.Load(); got != 70 {
			t.Errorf("%d fetches in the next hour, want 70", got)
		}
	}, func(c *packages.Config) { c.BatchFetches, c.FetchesPerHour = 20, 30 })
}

// What callers make the store keep has a bound; what an operator imports does
// not count.
func TestFetchedVersionsAreBounded(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
			name := strings.TrimPrefix(r.URL.Path, "/")
			fmt.Fprintf(w, `{"name":%q,"versions":{"1.0.0":{},"1.1.0":{},"1.2.0":{}}}`, name)
		})
		get := func(name string, host int) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v3/systems/npm/packages/"+name, nil)
			r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", host)
			w := httptest.NewRecorder()
			h.Module.Handler.ServeHTTP(w, r)
			return w
		}
		for i := range 11 {
			if w := get(fmt.Sprint("p", i), i); w.Code != http.StatusOK {
				t.Errorf("package %d: %d %s, want 200", i, w.Code, w.Body)
			}
		}
		if w := get("again", 1); w.Code != http.StatusTooManyRequests {
			t.Errorf("more than the address's part: %d %s, want 429", w.Code, w.Body)
		}
		if w := get("full", 99); w.Code != http.StatusServiceUnavailable ||
			!strings.Contains(w.Body.String(), "packages.max_fetched") {
			t.Errorf("a full store: %d %s, want 503 with the setting", w.Code, w.Body)
		}
		list := filepath.Join(t.TempDir(), "list.txt")
		write(t, list, "pkg:npm/imported@1.0.0\n")
		if got, err := run(t, h, "packages import", list); err != nil ||
			!strings.Contains(fmt.Sprint(got), "versions:1") {
			t.Errorf("import: %v, %v, want one version", got, err)
		}
	}, func(c *packages.Config) { c.MaxFetched = 35 })
}

// The list of a package of which a graph brought one version counts as that of any other.
func TestListsBehindGraphsAreBounded(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
			switch name, asked, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/go/example.com/"), "/@v/"); {
			case asked == "list" && name == "root":
				fmt.Fprintln(w, "v1.0.0")
			case asked == "list":
				for i := range 50 {
					fmt.Fprintf(w, "v1.%d.0\n", i)
				}
			case strings.HasSuffix(asked, ".info"):
				fmt.Fprint(w, `{"Version":"v1.0.0"}`)
			case asked == "v1.0.0.mod" && name == "root":
				fmt.Fprint(w, "module example.com/root\n\nrequire example.com/needed v1.0.0\n")
			case strings.HasSuffix(asked, ".mod"):
				fmt.Fprint(w, "module example.com/"+name+"\n")
			default:
				http.NotFound(w, r)
			}
		})
		w := h.Call("GET", "/v3/systems/go/packages/example.com%2Froot/versions/v1.0.0:dependencies", "")
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "example.com/needed") {
			t.Fatalf("graph: %d %s", w.Code, w.Body)
		}
		w = h.Call("GET", "/v3/systems/go/packages/example.com%2Fneeded", "")
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "v1.7.0") {
			t.Errorf("a list of 50 where 20 may be stored: %d %.300s, want what is stored alone", w.Code, w.Body)
		}
	}, func(c *packages.Config) {
		c.MaxFetched = 20
		c.Registries.Go = []string{c.Registries.NPM[0] + "/go"}
	})
}

// Web pages of other sites get what is stored, and do not make the server ask the
// registries that were found on the machine.
func TestPagesOfOtherSitesAskNobody(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, host, from string
		header           map[string]string
		asks             bool
	}{
		{"a program", "127.0.0.1:8080", "127.0.0.1:9", nil, true},
		{"the address line", "localhost:8080", "127.0.0.1:9", map[string]string{"Sec-Fetch-Site": "none"}, true},
		{
			"a page of ours", "localhost:8080", "127.0.0.1:9",
			map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost:8080"}, true,
		},
		{
			"a page of this machine", "127.0.0.1:8080", "127.0.0.1:9",
			map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:3000"}, true,
		},
		{
			"a script of another site", "localhost:8080", "127.0.0.1:9",
			map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://other.example"}, false,
		},
		{
			"an image of another site", "localhost:8080", "127.0.0.1:9",
			map[string]string{"Sec-Fetch-Site": "cross-site"}, false,
		},
		{
			"an old browser", "localhost:8080", "127.0.0.1:9", map[string]string{"Origin": "https://other.example"},
			false,
		},
		{"a page without an origin", "localhost:8080", "127.0.0.1:9", map[string]string{"Origin": "null"}, false},
		{"a name that leads here", "other.example", "127.0.0.1:9", nil, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, configured := range []bool{false, true} {
				f := newRegistry(t)
				var asked atomic.Int64
				f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
					asked.Add(1)
					f.good(w, r)
				})
				h := identitytest.SQLite(t, found(f, func(c *packages.Config) {
					if configured {
						c.Registries.NPM = []string{f.URL}
					}
				}))
				r := httptest.NewRequest("GET", leftPath, nil)
				r.Host, r.RemoteAddr = row.host, row.from
				for name, value := range row.header {
					r.Header.Set(name, value)
				}
				w := h.Do(r)
				want := http.StatusOK
				if !row.asks && !configured {
					want = http.StatusServiceUnavailable
				}
				if w.Code != want || (asked.Load() > 0) != (want == http.StatusOK) {
					t.Errorf("configured %v: %d %s after %d fetches, want %d", configured, w.Code, w.Body, asked.Load(),
						want)
				}
				if want == http.StatusServiceUnavailable && !strings.Contains(w.Body.String(), "pages of other sites") {
					t.Errorf("the refusal says %s", w.Body)
				}
				// What is stored is for every caller.
				plain := httptest.NewRequest("GET", leftPath, nil)
				plain.Host, plain.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:9"
				h.Do(plain)
				if w := h.Do(r); w.Code != http.StatusOK {
					t.Errorf("configured %v: once it is stored: %d %s, want 200", configured, w.Code, w.Body)
				}
			}
		})
	}
}

// A package manager that does not answer in time, as on a busy machine, is asked
// again by the next request: it is not as if there were no registry.
func TestSilentPackageManagerIsAskedAgain(t *testing.T) {
	t.Parallel()
	runs := 0
	slow := func(_ context.Context, name string, _ ...string) (string, error) {
		if runs++; runs == 1 {
			return "", fmt.Errorf("%s: %w", name, context.DeadlineExceeded)
		}
		return "https://npm.example/\n", nil
	}
	got := packages.AskFor(t.Context(), machineconfig.New(machineconfig.Options{Run: slow, Root: t.TempDir()}), 3)
	var refused *packages.Error
	if !errors.As(got[0], &refused) || refused.Code != packages.CodeUnavailable ||
		!strings.Contains(refused.Message, "did not answer in time") {
		t.Errorf("first: %v, want that it did not answer in time", got[0])
	}
	if got[1] != nil || got[2] != nil || runs != 2 {
		t.Errorf("then: %v, %v after %d runs, want the registry of the second run", got[1], got[2], runs)
	}
}

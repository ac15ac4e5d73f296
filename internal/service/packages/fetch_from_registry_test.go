package packages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages"
)

// fakeRegistry is an npm registry whose mood can be changed.
type fakeRegistry struct {
	*httptest.Server
	asked   atomic.Int64
	listed  atomic.Int64
	answer  atomic.Value // func(http.ResponseWriter, *http.Request)
	unblock chan struct{}
}

func newRegistry(t testing.TB) *fakeRegistry {
	t.Helper()
	f := &fakeRegistry{unblock: make(chan struct{})}
	f.answer.Store(f.good)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.asked.Add(1)
		f.answer.Load().(func(http.ResponseWriter, *http.Request))(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fakeRegistry) good(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/left" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("ETag", `"one"`)
	if r.Header.Get("If-None-Match") == `"one"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	f.listed.Add(1)
	fmt.Fprintf(w, `{"name":"left","dist-tags":{"latest":"1.1.0"},"time":{"1.0.0":"2026-01-01T00:00:00Z","1.1.0":"2026-01-02T00:00:00Z"},"versions":{
		"1.0.0":{"name":"left","version":"1.0.0","license":"MIT","deprecated":"use 1.1.0","dist":{"tarball":"%[1]s/left/-/left-1.0.0.tgz","shasum":"0123456789012345678901234567890123456789"}},
		"1.1.0":{"name":"left","version":"1.1.0","license":"MIT","repository":"github:a/left","dependencies":{"right":"^1"},"dist":{"tarball":"%[1]s/left/-/left-1.1.0.tgz"}}}}`, f.URL)
}

func status(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func (f *fakeRegistry) hangs(_ http.ResponseWriter, r *http.Request) {
	select {
	case <-f.unblock:
	case <-r.Context().Done():
	}
}

func pulling(f *fakeRegistry, change ...func(*packages.Config)) identitytest.Build {
	return func(w *world.World, identity *identity.Identity) module.Module {
		c := packages.DefaultConfig()
		c.Registries.NPM = []string{f.URL}
		c.PullTimeout = 10 * time.Second
		for _, f := range change {
			f(&c)
		}
		return packages.New(w, identity, c, func(string) string { return "" }).Module()
	}
}

// onBoth runs a test on both databases, each with a registry of its own.
func onBoth(
	t *testing.T, fn func(t *testing.T, h *identitytest.Server, f *fakeRegistry), change ...func(*packages.Config),
) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f := newRegistry(t)
		fn(t, identitytest.Open(t, pulling(f, change...), ""), f)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f := newRegistry(t)
		fn(t, identitytest.Open(t, pulling(f, change...), databasetest.PostgresURL(t)), f)
	})
}

const leftPath = "/v3/systems/npm/packages/left"

func TestPullThrough(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		var wait sync.WaitGroup
		for range 20 {
			wait.Go(func() {
				if w := h.Call("GET", leftPath, ""); w.Code != http.StatusOK {
					t.Errorf("status %d: %s", w.Code, w.Body)
				}
			})
		}
		wait.Wait()
		w := h.Call("GET", leftPath+"/versions/1.1.0", "")
		var got struct {
			IsDefault       bool
			Licenses        []string
			RelatedProjects []struct{ ProjectKey struct{ ID string } }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || !got.IsDefault || len(got.RelatedProjects) != 1 ||
			got.RelatedProjects[0].ProjectKey.ID != "github.com/a/left" {
			t.Errorf("version %s, %v", w.Body, err)
		}
		f.answer.Store(status(http.StatusInternalServerError))
		if w := h.Call("GET", leftPath+"/versions/1.0.0", ""); w.Code != http.StatusOK {
			t.Errorf("a stored version is gone with its registry: %d %s", w.Code, w.Body)
		}
		if got := f.listed.Load(); got != 1 {
			t.Errorf("the registry listed the package %d times, want once", got)
		}
	})
}

func TestMissingIsRememberedForAWhile(t *testing.T) {
	t.Parallel()
	f := newRegistry(t)
	h := identitytest.SQLite(t, pulling(f))
	for range 3 {
		if w := h.Call("GET", "/v3/systems/npm/packages/nothing", ""); w.Code != http.StatusNotFound {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	}
	if got := f.asked.Load(); got != 1 {
		t.Errorf("asked %d times, want once", got)
	}
	h.Clock.Advance(packages.DefaultConfig().MissingFor + time.Second)
	h.Call("GET", "/v3/systems/npm/packages/nothing", "")
	if got := f.asked.Load(); got != 2 {
		t.Errorf("asked %d times after the time, want twice", got)
	}
}

func TestGarbageNeverReachesTheStore(t *testing.T) {
	t.Parallel()
	f := newRegistry(t)
	h := identitytest.SQLite(t, pulling(f))
	for name, garbage := range map[string]string{
		"not JSON": "<html>", "a list": "[]", "no versions": `{"name":"left"}`,
		"cut off": `{"name":"left","versions":{"1.0.0":`,
	} {
		f.answer.Store(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(garbage)) })
		w := h.Call("GET", leftPath, "")
		if w.Code != http.StatusServiceUnavailable && w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d: %s", name, w.Code, w.Body)
		}
		h.Clock.Advance(time.Hour)
	}
	f.answer.Store(f.good)
	if w := h.Call("GET", leftPath, ""); w.Code != http.StatusOK {
		t.Errorf("the registry recovered, status %d: %s", w.Code, w.Body)
	}
}

func TestASlowRegistryHoldsNobodyElseUp(t *testing.T) {
	t.Parallel()
	f := newRegistry(t)
	h := identitytest.SQLite(t, pulling(f, func(c *packages.Config) { c.PullTimeout = 2 * time.Second }))
	if w := h.Call("GET", leftPath, ""); w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	f.answer.Store(f.hangs)
	slow := make(chan int, 1)
	go func() { slow <- h.Call("GET", "/v3/systems/npm/packages/right", "").Code }()
	for range 50 {
		if w := h.Call("GET", leftPath, ""); w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		if w := h.Call("GET", "/v3/systems/npm/packages/left/versions/1.1.0", ""); w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	}
	select {
	case code := <-slow:
		t.Errorf("the slow request ended with %d before its time", code)
	default:
	}
	if code := <-slow; code != http.StatusServiceUnavailable {
		t.Errorf("the slow request ended with %d, want 503", code)
	}
}

func TestStaleListsAreCheckedConditionally(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		h.Call("GET", leftPath, "")
		h.Clock.Advance(packages.DefaultConfig().FreshFor + time.Minute)
		if err := h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if asked, listed := f.asked.Load(), f.listed.Load(); asked != 2 || listed != 1 {
			t.Errorf("after the sync the registry was asked %d times and listed %d times, want 2 and 1", asked, listed)
		}
		if w := h.Call("GET", leftPath, ""); w.Code != http.StatusOK {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	})
}

// TestSyncIsFair: neither packages that a registry no longer has nor a
// registry that fails keep the rest from being refreshed.
func TestSyncIsFair(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		var npm, pypi atomic.Int64
		npmStatus := atomic.Int64{}
		f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
			switch name := strings.Trim(r.URL.Path, "/"); {
			case strings.HasPrefix(name, "simple/"):
				pypi.Add(1)
				w.Header().Set("Content-Type", "application/vnd.pypi.simple.v1+json")
				fmt.Fprintf(w, `{"files":[{"filename":"%[1]s-1.0.tar.gz","url":"%[1]s-1.0.tar.gz"}]}`,
					strings.TrimPrefix(name, "simple/"))
			case npmStatus.Load() != 0:
				npm.Add(1)
				w.WriteHeader(int(npmStatus.Load()))
			default:
				fmt.Fprintf(w, `{"name":%[1]q,"versions":{"1.0.0":{"name":%[1]q,"version":"1.0.0"}}}`, name)
			}
		})
		const names = 6
		for i := range names {
			for _, at := range []string{"npm/packages/n", "pypi/packages/p"} {
				if w := h.Call("GET", fmt.Sprintf("/v3/systems/%s%d", at, i), ""); w.Code != http.StatusOK {
					t.Fatalf("status %d: %s", w.Code, w.Body)
				}
				// The npm ones are the oldest.
				h.Clock.Advance(time.Second)
			}
		}
		pypi.Store(0)
		sync := func() {
			t.Helper()
			if got, err := run(t, h, "packages sync"); err != nil {
				t.Fatal(got, err)
			}
		}
		npmStatus.Store(http.StatusForbidden)
		h.Clock.Advance(packages.DefaultConfig().FreshFor + time.Minute)
		sync()
		if n, p := npm.Load(), pypi.Load(); n != 3 || p != 2 {
			t.Errorf("asked %d times about npm and %d about PyPI, want 3, after which it is tired, and 2", n, p)
		}
		// Those that are gone are asked about once.
		npmStatus.Store(http.StatusNotFound)
		npm.Store(0)
		for range 4 {
			sync()
		}
		if n := npm.Load(); n != names {
			t.Errorf("asked %d times about %d packages that are gone", n, names)
		}
		if w := h.Call("GET", "/v3/systems/npm/packages/n0", ""); w.Code != http.StatusOK {
			t.Errorf("a stored package is gone with its registry's: %d %s", w.Code, w.Body)
		}
	}, func(c *packages.Config) {
		c.SyncAtMost = 5
		c.Registries.PyPI = []string{c.Registries.NPM[0] + "/simple"}
	})
}

// TestSyncPassesTheUnreadable: packages whose lists cannot be read do not keep younger ones from being refreshed.
func TestSyncPassesTheUnreadable(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		var broken, good atomic.Int64
		var spoiled atomic.Bool
		f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
			name := strings.Trim(r.URL.Path, "/")
			if spoiled.Load() && strings.HasPrefix(name, "bad") {
				broken.Add(1)
				_, _ = w.Write([]byte("<html>"))
				return
			}
			good.Add(1)
			fmt.Fprintf(w, `{"name":%[1]q,"versions":{"1.0.0":{"name":%[1]q,"version":"1.0.0"}}}`, name)
		})
		for _, name := range []string{"bad0", "bad1", "bad2", "bad3", "good0", "good1"} {
			if w := h.Call("GET", "/v3/systems/npm/packages/"+name, ""); w.Code != http.StatusOK {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			h.Clock.Advance(time.Second)
		}
		spoiled.Store(true)
		good.Store(0)
		h.Clock.Advance(packages.DefaultConfig().FreshFor + time.Minute)
		for range 3 {
			if got, err := run(t, h, "packages sync"); err != nil {
				t.Fatal(got, err)
			}
		}
		if b, g := broken.Load(), good.Load(); b != 4 || g != 2 {
			t.Errorf("asked %d times about packages that cannot be read and %d about others, want 4 and 2", b, g)
		}
	})
}

// TestSyncPassesTheRefused: packages that a registry refuses again and again do not keep younger ones from being
// refreshed.
func TestSyncPassesTheRefused(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		var bad, good atomic.Int64
		var refuses atomic.Bool
		f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
			name := strings.Trim(r.URL.Path, "/")
			if refuses.Load() && strings.HasPrefix(name, "bad") {
				bad.Add(1)
				w.WriteHeader(http.StatusForbidden)
				return
			}
			good.Add(1)
			fmt.Fprintf(w, `{"name":%[1]q,"versions":{"1.0.0":{"name":%[1]q,"version":"1.0.0"}}}`, name)
		})
		for _, name := range []string{"bad0", "bad1", "bad2", "good0", "good1"} {
			if w := h.Call("GET", "/v3/systems/npm/packages/"+name, ""); w.Code != http.StatusOK {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			h.Clock.Advance(time.Second)
		}
		refuses.Store(true)
		good.Store(0)
		h.Clock.Advance(packages.DefaultConfig().FreshFor + time.Minute)
		for range 3 {
			h.Clock.Advance(packages.DefaultConfig().SyncEvery)
			if got, err := run(t, h, "packages sync"); err != nil {
				t.Fatal(got, err)
			}
		}
		if b, g := bad.Load(), good.Load(); b < 6 || g != 2 {
			t.Errorf("asked %d times about packages that are refused and %d about others, want 6 or more and 2", b, g)
		}
	})
}

// TestDetailsAreAskedForAgainAfterAnOutage: a registry that is busy once does
// not leave a version half known.
func TestDetailsAreAskedForAgainAfterAnOutage(t *testing.T) {
	t.Parallel()
	f := newRegistry(t)
	var busy atomic.Bool
	busy.Store(true)
	f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/g/a/maven-metadata.xml":
			_, _ = w.Write([]byte("<metadata><versioning><versions><version>1.0</version></versions></versioning></metadata>"))
		case busy.Load():
			w.WriteHeader(http.StatusTooManyRequests)
		case strings.HasSuffix(r.URL.Path, ".pom"):
			_, _ = w.Write([]byte("<project><artifactId>a</artifactId><licenses><license><name>MIT</name></license></licenses></project>"))
		default:
			http.NotFound(w, r)
		}
	})
	h := identitytest.SQLite(t, pulling(f, func(c *packages.Config) { c.Registries.Maven = []string{f.URL} }))
	const path = "/v3/systems/maven/packages/g%3Aa/versions/1.0"
	if w := h.Call("GET", path, ""); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "MIT") {
		t.Fatalf("while it is busy: %d %s", w.Code, w.Body)
	}
	busy.Store(false)
	if w := h.Call("GET", path, ""); !strings.Contains(w.Body.String(), "MIT") {
		t.Errorf("afterwards: %s", w.Body)
	}
}

func TestBatchPullsWhatItLacks(t *testing.T) {
	t.Parallel()
	f := newRegistry(t)
	h := identitytest.SQLite(t, pulling(f))
	w := h.Call("POST", "/v3alpha/versionbatch", `{"requests":[{"versionKey":{"system":"NPM","name":"left","version":"1.1.0"}},{"versionKey":{"system":"NPM","name":"nothing","version":"1.0.0"}}]}`)
	var got struct {
		Responses []struct{ Version *struct{ Purl string } }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Responses) != 2 ||
		got.Responses[0].Version == nil || got.Responses[1].Version != nil {
		t.Errorf("%s, %v", w.Body, err)
	}
}

func TestDetailsThatAreMissingAreNotAskedForAgain(t *testing.T) {
	t.Parallel()
	f := newRegistry(t)
	f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/g/a/maven-metadata.xml" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte("<metadata><versioning><versions><version>1.0</version></versions></versioning></metadata>"))
	})
	h := identitytest.SQLite(t, pulling(f, func(c *packages.Config) {
		c.Registries.Maven = []string{f.URL + "/none", f.URL}
	}))
	const path = "/v3/systems/maven/packages/g%3Aa/versions/1.0"
	if w := h.Call("GET", path, ""); w.Code != http.StatusOK {
		t.Fatalf("a listed version without a descriptor: %d %s", w.Code, w.Body)
	}
	asked := f.asked.Load()
	for range 3 {
		h.Call("GET", path, "")
	}
	if got := f.asked.Load(); got != asked {
		t.Errorf("asked %d times more", got-asked)
	}
}

// TestDetailsKeepWhatTheListTells: a list that is read while the details of a version
// are read is the newer one.
func TestDetailsKeepWhatTheListTells(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		var withdrawn atomic.Bool
		asked, answer := make(chan struct{}), make(chan struct{})
		var once sync.Once
		const head = "<metadata><versioning><versions>"
		const tail = "<version>2.0</version></versions></versioning></metadata>"
		f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/g/a/maven-metadata.xml" && withdrawn.Load():
				_, _ = w.Write([]byte(head + tail))
			case r.URL.Path == "/g/a/maven-metadata.xml":
				_, _ = w.Write([]byte(head + "<version>1.0</version>" + tail))
			case strings.HasSuffix(r.URL.Path, "a-1.0.pom"):
				once.Do(func() { close(asked) })
				<-answer
				_, _ = w.Write([]byte("<project><artifactId>a</artifactId>" +
					"<licenses><license><name>MIT</name></license></licenses></project>"))
			default:
				http.NotFound(w, r)
			}
		})
		const pkg = "/v3alpha/systems/maven/packages/g%3Aa"
		const version = pkg + "/versions/1.0"
		h.Call("GET", pkg, "")
		h.Clock.Advance(packages.DefaultConfig().FreshFor + time.Minute)
		withdrawn.Store(true)
		var details sync.WaitGroup
		details.Go(func() { h.Call("GET", version, "") })
		<-asked
		if _, err := run(t, h, "packages sync"); err != nil {
			t.Error(err)
		}
		close(answer)
		details.Wait()
		const gone = `"isDeprecated":true`
		got := h.Call("GET", version, "").Body.String()
		if !strings.Contains(got, gone) || !strings.Contains(got, "MIT") {
			t.Errorf("after the list took it out: %s", got)
		}
	}, func(c *packages.Config) { c.Registries.Maven = c.Registries.NPM })
}

func TestStaleListsAreServedAtOnce(t *testing.T) {
	t.Parallel()
	f := newRegistry(t)
	h := identitytest.SQLite(t, pulling(f))
	h.Call("GET", leftPath, "")
	h.Clock.Advance(packages.DefaultConfig().FreshFor + time.Minute)
	f.answer.Store(f.hangs)
	if w := h.Call("GET", leftPath, ""); w.Code != http.StatusOK {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	close(f.unblock)
}

func TestImportGoesOn(t *testing.T) {
	t.Parallel()
	f := newRegistry(t)
	h := identitytest.SQLite(t, pulling(f))
	file := filepath.Join(t.TempDir(), "list.txt")
	write(t, file, "pkg:npm/left@1.0.0\npkg:npm/left@1.1.0\npkg:npm/nothing@1.0.0\n")
	f.answer.Store(status(http.StatusForbidden))
	got, err := run(t, h, "packages import", file)
	if err != nil || !strings.Contains(fmt.Sprint(got), "failed:3") {
		t.Errorf("with a registry that refuses: %v, %v", got, err)
	}
	f.answer.Store(f.good)
	got, err = run(t, h, "packages import", file)
	if err != nil || !strings.Contains(fmt.Sprint(got), "missing:1") ||
		!strings.Contains(fmt.Sprint(got), "versions:2") {
		t.Errorf("again: %v, %v", got, err)
	}
}

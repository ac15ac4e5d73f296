package packages_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/packages"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// withRight is the good registry with a second package, on which left depends.
func (f *fakeRegistry) withRight(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/right" {
		fmt.Fprint(w, `{"name":"right","versions":{"1.0.0":{"name":"right","version":"1.0.0"}}}`)
		return
	}
	f.good(w, r)
}

// TestGraphsWithHoles: what was missing when a graph was resolved is in it
// soon after it can be had.
func TestGraphsWithHoles(t *testing.T) {
	t.Parallel()
	const path = leftPath + "/versions/1.1.0:dependencies"
	has := func(t *testing.T, h *identitytest.Server, want bool) {
		t.Helper()
		w := h.Call("GET", path, "")
		if got := strings.Contains(w.Body.String(), `"name":"right"`); w.Code != http.StatusOK || got != want {
			t.Errorf("status %d, right is there: %v, want %v: %s", w.Code, got, want, w.Body)
		}
	}
	t.Run("a registry that refused", func(t *testing.T) {
		t.Parallel()
		onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
			f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/right" {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				f.good(w, r)
			})
			has(t, h, false)
			f.answer.Store(f.withRight)
			has(t, h, true)
		})
	})
	t.Run("a package that was not there", func(t *testing.T) {
		t.Parallel()
		onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
			has(t, h, false)
			f.answer.Store(f.withRight)
			asked := f.asked.Load()
			has(t, h, false)
			if got := f.asked.Load(); got != asked {
				t.Errorf("the registry was asked %d times about what it does not have", got-asked)
			}
			h.Clock.Advance(packages.DefaultConfig().MissingFor + time.Second)
			has(t, h, true)
		})
	})
}

// TestGraphWait: a caller who would wait too long is sent away, and the work
// goes on.
func TestGraphWait(t *testing.T) {
	t.Parallel()
	const path = leftPath + "/versions/1.1.0:dependencies"
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		if w := h.Call("GET", leftPath, ""); w.Code != http.StatusOK {
			t.Fatalf("status %d", w.Code)
		}
		f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
			<-f.unblock
			f.withRight(w, r)
		})
		w := h.Call("GET", path, "")
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "10" {
			t.Errorf("status %d, Retry-After %q: %s", w.Code, w.Header().Get("Retry-After"), w.Body)
		}
		close(f.unblock)
		for range 1000 {
			if w = h.Call("GET", path, ""); w.Code == http.StatusOK {
				break
			}
		}
		if !strings.Contains(w.Body.String(), `"name":"right"`) {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		w = h.Call("GET", "/v3alpha/systems/npm/packages/right/versions/1.0.0:dependents", "")
		if want := `{"dependentCount":1,"directDependentCount":1,"indirectDependentCount":0}`; w.Body.String() != want {
			t.Errorf("dependents %s, want %s", w.Body, want)
		}
	}, func(c *packages.Config) { c.GraphWait = 20 * time.Millisecond })
}

// TestGraphProgress: how far a graph has come is seen while it is resolved.
func TestGraphProgress(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *identitytest.Server, f *fakeRegistry) {
		if w := h.Call("GET", leftPath, ""); w.Code != http.StatusOK {
			t.Fatalf("status %d", w.Code)
		}
		f.answer.Store(func(w http.ResponseWriter, r *http.Request) {
			<-f.unblock
			f.withRight(w, r)
		})
		if w := h.Call("GET", leftPath+"/versions/1.1.0:dependencies", ""); w.Code != http.StatusServiceUnavailable {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		shown := func() string {
			t.Helper()
			got, err := run(t, h, "packages status")
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(got)
		}
		if got := shown(); !strings.Contains(got, "left") || !strings.Contains(got, "answered:1 asked:2") {
			t.Errorf("status %s, want the graph that waits", got)
		}
		w := httptest.NewRecorder()
		h.World.Telemetry.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		if !strings.Contains(w.Body.String(), `stoa_packages_underway{work="graphs"} 1`) {
			t.Errorf("metrics %s", w.Body)
		}
		close(f.unblock)
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
			if !strings.Contains(shown(), "left") {
				return
			}
		}
		t.Errorf("status %s, want no graph", shown())
	}, func(c *packages.Config) { c.GraphWait = 200 * time.Millisecond })
}

// TestGraphOfAnotherPython: what was resolved for one version of Python is not served for another.
func TestGraphOfAnotherPython(t *testing.T) {
	t.Parallel()
	named := func(name string, requires ...catalog.PyPIRequirement) catalog.Package {
		p := catalog.Package{Key: catalog.PackageKey{System: catalog.PyPI, Name: name}}
		p.Versions = []catalog.Version{{
			Key: p.Key.At("1.1.0"), Complete: true,
			Requires: &catalog.Requirements{PyPI: &catalog.PyPIRequirements{Dependencies: requires}},
		}}
		return p
	}
	top := named("top", catalog.PyPIRequirement{Name: "older", Specifier: ">=1", Marker: `python_version < "3.10"`})
	both(t, func(t *testing.T, h *identitytest.Server, _ *packages.Service) {
		for _, python := range []string{"3.13", "3.9", "3.13"} {
			c := packages.DefaultConfig()
			c.Offline, c.Python = true, python
			s := packages.New(h.World, h.Identity, c, func(string) string { return "" })
			doc, err := s.GetDependencies(t.Context(), top.Key.At("1.1.0"))
			if err != nil || strings.Contains(string(doc), `"older"`) != (python == "3.9") {
				t.Errorf("Python %s: %s, %v", python, doc, err)
			}
		}
	}, top, named("older"))
}

// TestGraphThatCannotBeResolved says why in the answer.
func TestGraphThatCannotBeResolved(t *testing.T) {
	t.Parallel()
	top := catalog.Package{Key: catalog.PackageKey{System: catalog.NPM, Name: "top"}}
	top.Versions = []catalog.Version{{
		Key: top.Key.At("1.0.0"), Complete: true,
		Requires: &catalog.Requirements{NPM: &catalog.NPMRequirements{Dependencies: catalog.NPMDependencies{
			Dependencies: []catalog.Requirement{{Name: "b", Requirement: strings.Repeat("(", 1<<16)}},
		}}},
	}}
	h, _ := stocked(t, "", top)
	w := h.Call("GET", "/v3/systems/npm/packages/top/versions/1.0.0:dependencies", "")
	if got := w.Body.String(); !strings.Contains(got, "longer than any package manager") {
		t.Errorf("status %d without the reason: %s", w.Code, got)
	}
}

// TestNamesThatNoRegistryHolds: each operation on a package or a version refuses them before it looks for them.
func TestNamesThatNoRegistryHolds(t *testing.T) {
	t.Parallel()
	h, _ := stocked(t, "")
	if w := h.Call("GET", "/v3alpha/query?versionKey.system=deb&versionKey.name=x", ""); w.Code != http.StatusBadRequest ||
		!strings.Contains(w.Body.String(), "GO, RUBYGEMS") {
		t.Errorf("query of an unknown system: %d %s, want 400 and the systems", w.Code, w.Body)
	}
	for _, operation := range []string{
		"", ":similarlyNamedPackages", "/versions/1", "/versions/1:requirements", "/versions/1:dependencies",
		"/versions/1:dependents",
	} {
		for name, why := range map[string]string{"a%2F..%2Fb": "a way through folders", "%07": "not printable"} {
			w := h.Call("GET", "/v3alpha/systems/npm/packages/"+name+operation, "")
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), why) {
				t.Errorf("%s%s: %d %s, want 400 and %q", name, operation, w.Code, w.Body, why)
			}
		}
	}
}

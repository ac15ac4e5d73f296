package packages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// page is a page of a batch answer.
type page struct {
	Responses []struct {
		Result *struct {
			Version struct{ VersionKey catalog.VersionKey }
		}
	}
	NextPageToken string
}

// TestPurlBatchWhileModulesArrive: the token of a page stays good when the
// module that a folded name means is stored before the next page is asked for.
func TestPurlBatchWhileModulesArrive(t *testing.T) {
	t.Parallel()
	for engine, url := range map[string]func(testing.TB) string{
		"sqlite":   func(testing.TB) string { return "" },
		"postgres": func(t testing.TB) string { return databasetest.PostgresURL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var s *packages.Service
			h := identitytest.Open(t, func(w *world.World, identity *identity.Identity) module.Module {
				c := packages.DefaultConfig()
				c.Offline, c.BatchPage = true, 2
				s = packages.New(w, identity, c, func(string) string { return "" })
				return s.Module()
			}, url(t))
			put := func(name string) {
				t.Helper()
				k := catalog.PackageKey{System: catalog.Go, Name: name}
				if err := s.Put(t.Context(), catalog.Package{Key: k, Versions: []catalog.Version{{Key: k.At("v1.0.0"), Complete: true}}}); err != nil {
					t.Fatal(err)
				}
			}
			next := func(token string) page {
				t.Helper()
				var requests []string
				for _, name := range []string{"example.com/one", "example.com/two", "example.com/three"} {
					requests = append(requests, fmt.Sprintf(`{"purl":"pkg:golang/%s@v1.0.0"}`, name))
				}
				w := h.Call("POST", "/v3alpha/purlbatch",
					fmt.Sprintf(`{"requests":[%s],"pageToken":%q}`, strings.Join(requests, ","), token))
				var p page
				if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusOK {
					t.Fatalf("status %d: %s, %v", w.Code, w.Body, err)
				}
				return p
			}
			put("example.com/One")
			first := next("")
			if len(first.Responses) != 2 || first.Responses[0].Result == nil || first.Responses[0].Result.Version.VersionKey.Name != "example.com/One" || first.Responses[1].Result != nil {
				t.Errorf("first page %+v, want One and nothing", first)
			}
			put("example.com/Two")
			put("example.com/Three")
			second := next(first.NextPageToken)
			if len(second.Responses) != 1 || second.Responses[0].Result == nil || second.NextPageToken != "" {
				t.Errorf("second page %+v, want Three and the end", second)
			}
		})
	}
}

// A page ends when its documents are large, and the next one goes on there: the
// same large version may be asked for thousands of times.
func TestPagesAreBounded(t *testing.T) {
	t.Parallel()
	var s *packages.Service
	h := identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		c := packages.DefaultConfig()
		c.Offline = true
		s = packages.New(w, identity, c, func(string) string { return "" })
		return s.Module()
	})
	k := catalog.PackageKey{System: catalog.NPM, Name: "large"}
	v := catalog.Version{Key: k.At("1.0.0"), Complete: true}
	for range 1000 {
		v.Links = append(v.Links, catalog.Link{
			Label: "HOMEPAGE", URL: "https://a.example/" + strings.Repeat("x", 1500),
		})
	}
	if err := s.Put(t.Context(), catalog.Package{Key: k, Versions: []catalog.Version{v}}); err != nil {
		t.Fatal(err)
	}
	const all = 40
	requests := strings.TrimSuffix(
		strings.Repeat(`{"versionKey":{"system":"NPM","name":"large","version":"1.0.0"}},`, all), ",")
	seen, token := 0, ""
	for range all {
		w := h.Call("POST", "/v3alpha/versionbatch", fmt.Sprintf(`{"requests":[%s],"pageToken":%q}`, requests, token))
		var p struct {
			Responses     []struct{ Version *json.RawMessage }
			NextPageToken string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusOK {
			t.Fatalf("status %d, %v", w.Code, err)
		}
		if size := w.Body.Len(); size > 20<<20 {
			t.Errorf("a page has %d bytes, want at most about 16 MB", size)
		}
		for _, r := range p.Responses {
			if r.Version == nil {
				t.Error("a version is missing")
			}
		}
		seen += len(p.Responses)
		if token = p.NextPageToken; token == "" {
			break
		}
	}
	if seen != all {
		t.Errorf("%d answers on all pages, want %d", seen, all)
	}
}

// TestProjectBatchPages: every project of a batch stands on one page.
func TestProjectBatchPages(t *testing.T) {
	t.Parallel()
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.NPM, Name: "many"}}
	var requests []string
	for i := range 130 {
		id := fmt.Sprintf("github.com/many/of%d", i)
		requests = append(requests, fmt.Sprintf(`{"projectKey":{"id":%q}}`, id))
		p.Versions = append(p.Versions, catalog.Version{
			Key: p.Key.At(fmt.Sprintf("1.0.%d", i)), Complete: true,
			Related: []catalog.Relation{{Project: id, Provenance: catalog.FromMetadata, Type: catalog.SourceRepo}},
		})
	}
	both(t, func(t *testing.T, h *identitytest.Server, _ *packages.Service) {
		token, seen := "", 0
		for range 3 {
			body := fmt.Sprintf(`{"requests":[%s],"pageToken":%q}`, strings.Join(requests, ","), token)
			w := h.Call("POST", "/v3alpha/projectbatch", body)
			var got struct {
				Responses []struct {
					Request, Project struct{ ProjectKey struct{ ID string } }
				}
				NextPageToken string
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
				t.Fatalf("%d %s, %v", w.Code, w.Body, err)
			}
			for _, r := range got.Responses {
				want := fmt.Sprintf("github.com/many/of%d", seen)
				if r.Request.ProjectKey.ID != want || r.Project.ProjectKey.ID != want {
					t.Errorf("response %d is %+v", seen, r)
				}
				seen++
			}
			if token = got.NextPageToken; token == "" {
				break
			}
			other := h.Call("POST", "/v3alpha/projectbatch", fmt.Sprintf(`{"requests":[%s],"pageToken":%q}`, requests[0], token))
			if other.Code != http.StatusBadRequest {
				t.Errorf("a token with other requests: %d %s", other.Code, other.Body)
			}
		}
		if seen != len(requests) {
			t.Errorf("%d of %d projects were answered", seen, len(requests))
		}
	}, p)
}

// TestLongVersionsOfAPage: of a batch no more versions are read than its page holds.
func TestLongVersionsOfAPage(t *testing.T) {
	var s *packages.Service
	h := identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		c := packages.DefaultConfig()
		c.Offline, c.CacheBytes = true, 1<<20
		s = packages.New(w, identity, c, func(string) string { return "" })
		return s.Module()
	})
	k := catalog.PackageKey{System: catalog.NPM, Name: "large"}
	links := []catalog.Link{{Label: "HOMEPAGE", URL: "https://a.example/" + strings.Repeat("x", 100_000)}}
	var requests []string
	of := catalog.Package{Key: k}
	const all = 1000 // of 100 kB
	for n := range all {
		at := fmt.Sprintf("1.0.%d", n)
		of.Versions = append(of.Versions, catalog.Version{Key: k.At(at), Complete: true, Links: links})
		requests = append(requests, `{"versionKey":{"system":"NPM","name":"large","version":"`+at+`"}}`)
	}
	if err := s.Put(t.Context(), of); err != nil {
		t.Fatal(err)
	}
	seen, token := 0, ""
	for page := 0; page == 0 || token != "" && page < all; page++ {
		body := fmt.Sprintf(`{"requests":[%s],"pageToken":%q}`, strings.Join(requests, ","), token)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := h.Call("POST", "/v3alpha/versionbatch", body)
		runtime.ReadMemStats(&after)
		var p struct {
			Responses     []struct{ Version *json.RawMessage }
			NextPageToken string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusOK {
			t.Fatalf("status %d, %v", w.Code, err)
		}
		// All versions would be 157 MB; the race detector allocates more, as it drops what is pooled.
		if got := after.TotalAlloc - before.TotalAlloc; got > 130<<20 {
			t.Errorf("page %d: %d MB for %d kB", page, got>>20, w.Body.Len()>>10)
		}
		seen, token = seen+len(p.Responses), p.NextPageToken
	}
	if seen != all {
		t.Errorf("%d answers on all pages, want %d", seen, all)
	}
}

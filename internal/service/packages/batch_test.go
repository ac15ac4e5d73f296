package packages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
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
	for engine, url := range map[string]func(testing.TB) string{"sqlite": func(testing.TB) string { return "" }, "postgres": databasetest.PostgresURL} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var s *packages.Service
			h := identitytest.Open(t, func(w *world.World, people *identity.Identity) module.Module {
				c := packages.DefaultConfig()
				c.Offline, c.BatchPage = true, 2
				s = packages.New(w, people, c, func(string) string { return "" })
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
				w := h.Call("POST", "/v3alpha/purlbatch", fmt.Sprintf(`{"requests":[%s],"pageToken":%q}`, strings.Join(requests, ","), token))
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

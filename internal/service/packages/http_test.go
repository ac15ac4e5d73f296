package packages_test

import (
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// stocked opens a server that asks no registry and has the demo's packages and
// those given.
func stocked(t testing.TB, url string, more ...catalog.Package) (*identitytest.Server, *packages.Service) {
	t.Helper()
	var s *packages.Service
	// The one that has every operation: the contract has no Query under /v3.
	sdk, err := dialect.Load("sdk")
	if err != nil {
		t.Fatal(err)
	}
	h := identitytest.Open(t, func(w *world.World, identity *identity.Identity) module.Module {
		c := packages.DefaultConfig()
		c.Offline = true
		w.Dialect = sdk
		s = packages.New(w, identity, c, func(string) string { return "" })
		return s.Module()
	}, url)
	if err := h.Module.Demo(t.Context(), &module.Demo{}); err != nil {
		t.Fatal(err)
	}
	for _, p := range more {
		if err := s.Put(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	return h, s
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	routetest.Envelope(t, packages.ErrorBody,
		routetest.Case{
			Name: "invalid argument", Err: &packages.Error{Code: packages.CodeInvalidArgument, Message: "the reason"},
		},
		routetest.Case{
			Name: "not found", Err: &packages.Error{Code: packages.CodeNotFound, Message: "package not found"},
		},
		routetest.Case{
			Name: "unavailable",
			Err:  &packages.Error{Code: packages.CodeUnavailable, Message: "the registry is silent"},
		},
		routetest.Case{Name: "code without a status", Err: &packages.Error{Code: "UNHEARD", Message: "the reason"}},
	)
}

// TestOperations plays every operation of both API versions, once well and
// once badly.
func TestOperations(t *testing.T) {
	t.Parallel()
	related := catalog.Package{Key: catalog.PackageKey{System: catalog.NPM, Name: "related"}}
	related.Versions = []catalog.Version{{
		Key: related.Key.At("1.0.0"), Complete: true,
		Artifacts: []catalog.Artifact{{
			URL: "https://registry.example/related.tgz",
			Hashes: []catalog.Hash{{
				Type: catalog.SHA1, Digest: []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
			}},
		}},
		Links:   []catalog.Link{{Label: catalog.LabelHome, URL: "https://b.example/"}},
		Related: []catalog.Relation{{Project: "github.com/a/b", Provenance: catalog.FromMetadata, Type: catalog.SourceRepo}},
	}}
	h, _ := stocked(t, "", related)
	handler := routetest.Record(h.Module.Handler, h.Module.Routes)
	const ok, bad, gone = 200, 400, 404
	var all []routetest.Scenario
	for _, e := range []string{"/v3", "/v3alpha"} {
		at := e + "/systems/npm/packages/%40stoa%2Fcolonnade"
		all = append(all,
			routetest.Scenario{
				Name: e + " package", URL: at, Status: ok, Golden: true,
				WantHeader: map[string]string{"Grpc-Status": "0", "Content-Type": "application/json"},
			},
			routetest.Scenario{
				Name: e + " package of an unknown system", URL: e + "/systems/deb/packages/x", Status: bad,
				Contains: []string{"GO, RUBYGEMS"},
			},
			routetest.Scenario{Name: e + " version", URL: at + "/versions/1.2.0", Status: ok, Golden: true},
			routetest.Scenario{
				Name: e + " version in other letter case",
				URL:  e + "/systems/NpM/packages/%40stoa%2Fcolonnade/versions/v1.2.0", Status: ok,
			},
			routetest.Scenario{
				Name: e + " unknown version", URL: at + "/versions/9.9.9", Status: gone,
				WantBody:   `{"code":5,"message":"version not found","details":[]}`,
				WantHeader: map[string]string{"Grpc-Status": "5"},
			},
			routetest.Scenario{
				Name: e + " requirements", URL: at + "/versions/1.2.0:requirements", Status: ok, Golden: true,
			},
			routetest.Scenario{
				Name: e + " requirements of go",
				URL:  e + "/systems/go/packages/example.com%2Fstoa%2Fcolumn/versions/v1.0.0:requirements", Status: gone,
			},
			routetest.Scenario{
				Name: e + " dependencies", URL: at + "/versions/1.2.0:dependencies", Status: ok, Golden: true,
			},
			routetest.Scenario{
				Name: e + " dependencies of nuget",
				URL:  e + "/systems/nuget/packages/column/versions/1.0.0:dependencies", Status: gone,
				Contains: []string{"dependencies are not available for NUGET"},
			},
			routetest.Scenario{Name: e + " project", URL: e + "/projects/github.com%2FA%2Fb", Status: ok, Golden: true},
			routetest.Scenario{Name: e + " project of no host", URL: e + "/projects/nowhere%2Fa%2Fb", Status: bad},
			routetest.Scenario{
				Name: e + " project versions", URL: e + "/projects/github.com%2Fa%2Fb:packageversions", Status: ok,
				Golden: true,
			},
			routetest.Scenario{
				Name: e + " project versions of nothing", URL: e + "/projects/github.com%2Fa%2Fc:packageversions",
				Status: gone,
			},
			routetest.Scenario{Name: e + " advisory of nothing", URL: e + "/advisories/OSV-1", Status: gone},
			routetest.Scenario{
				Name: e + " query by name and version", Status: ok, Golden: true,
				URL: e + "/query?versionKey.system=NPM&versionKey.name=%40stoa%2Fcolumn&versionKey.version=2.0.0",
			},
			routetest.Scenario{
				Name: e + " query by hash", URL: e + "/query?hash.type=SHA1&hash.value=AAECAwQFBgcICQoLDA0ODxAREhM%3D",
				Status: ok, Golden: true,
			},
			routetest.Scenario{Name: e + " query for nothing", URL: e + "/query", Status: bad},
			routetest.Scenario{
				Name: e + " operation that versions do not have", URL: at + "/versions/1.2.0:capabilities", Status: gone,
				Contains: []string{"versions have no operation :capabilities"},
			},
			routetest.Scenario{
				Name: e + " slash left bare", URL: e + "/systems/npm/packages/@stoa/colonnade", Status: gone,
			},
		)
	}
	at := "/v3alpha/systems/npm/packages/%40stoa%2Fcolumn"
	all = append(all,
		routetest.Scenario{Name: "dependents", URL: at + "/versions/2.0.0:dependents", Status: ok},
		routetest.Scenario{
			Name: "dependents that no graph tells", Status: ok, WantBody: `{}`,
			URL: "/v3alpha/systems/npm/packages/related/versions/1.0.0:dependents",
		},
		routetest.Scenario{Name: "dependents of nothing", URL: at + "/versions/7.0.0:dependents", Status: gone},
		routetest.Scenario{
			Name: "similar names", URL: at + ":similarlyNamedPackages", Status: ok, Contains: []string{`"packages":[]`},
		},
		routetest.Scenario{
			Name: "similar names of nothing", URL: "/v3alpha/systems/npm/packages/x:similarlyNamedPackages",
			Status: gone,
		},
		routetest.Scenario{Name: "batch", Method: "POST", URL: "/v3alpha/versionbatch", Body: `{"requests":[{"versionKey":{"system":"NPM","name":"@stoa/column","version":"2.0.0"}},{"versionKey":{"system":"NPM","name":"é\"","version":"1"}}]}`, Status: ok, Golden: true},
		routetest.Scenario{
			Name: "empty batch", Method: "POST", URL: "/v3alpha/versionbatch", Body: `{}`, Status: ok,
			WantBody: `{"responses":[],"nextPageToken":""}`,
		},
		routetest.Scenario{
			Name: "batch of no JSON", Method: "POST", URL: "/v3alpha/versionbatch", Body: `{`, Status: bad,
		},
		routetest.Scenario{Name: "batch without a body", Method: "POST", URL: "/v3alpha/versionbatch", Status: bad},
		routetest.Scenario{
			Name: "batch with a lower-case system", Method: "POST", URL: "/v3alpha/versionbatch",
			Body: `{"requests":[{"versionKey":{"system":"npm","name":"x","version":"1"}}]}`, Status: bad,
			Contains: []string{"requests[0].versionKey.system"},
		},
		routetest.Scenario{
			Name: "batch without a key", Method: "POST", URL: "/v3alpha/versionbatch", Body: `{"requests":[{}]}`,
			Status: bad,
		},
		routetest.Scenario{
			Name: "batch without a version", Method: "POST", URL: "/v3alpha/versionbatch",
			Body: `{"requests":[{"versionKey":{"system":"NPM","name":"x"}}]}`, Status: bad,
		},
		routetest.Scenario{
			Name: "batch in the protocol's own spelling", Method: "POST", URL: "/v3alpha/versionbatch", Status: ok,
			Body: `{"page_token":"","requests":[{"version_key":{"system":3,"name":"@stoa/column","version":"2.0.0"}},` +
				`{"versionKey":{"system":3.0,"name":"@stoa/column","version":"1"}}]}`,
			Contains: []string{`{"request":{"versionKey":{"system":"NPM","name":"@stoa/column","version":"2.0.0"}},"version":`},
		},
		routetest.Scenario{
			Name: "batch with both spellings", Method: "POST", URL: "/v3alpha/versionbatch", Status: bad,
			Body:     `{"requests":[{"versionKey":{"system":3},"version_key":{"system":3}}]}`,
			Contains: []string{"both its spellings"},
		},
		routetest.Scenario{
			Name: "batch with an unknown number", Method: "POST", URL: "/v3alpha/versionbatch", Status: bad,
			Body:     `{"requests":[{"versionKey":{"system":5,"name":"x","version":"1"}}]}`,
			Contains: []string{`system \"5\" is not one of`},
		},
		routetest.Scenario{
			Name: "project batch", Method: "POST", URL: "/v3alpha/projectbatch", Status: ok, Golden: true,
			Body: `{"requests":[{"projectKey":{"id":"github.com/A/b"}},{"project_key":{"id":"gitlab.com/a/b/c"}}]}`,
		},
		routetest.Scenario{
			Name: "project batch of no host", Method: "POST", URL: "/v3alpha/projectbatch", Status: bad,
			Body: `{"requests":[{"projectKey":{"id":"nowhere/a/b"}}]}`, Contains: []string{"requests[0].projectKey"},
		},
		routetest.Scenario{
			Name: "project batch without a key", Method: "POST", URL: "/v3alpha/projectbatch", Status: bad,
			Body: `{"requests":[{}]}`, Contains: []string{"requests[0].projectKey is missing"},
		},
		routetest.Scenario{
			Name: "query by name", URL: "/v3alpha/query?versionKey.system=NPM&versionKey.name=%40stoa%2Fcolumn",
			Status: ok, NotContains: []string{"artifacts"},
		},
		routetest.Scenario{
			Name: "query of nothing", URL: "/v3alpha/query?versionKey.system=NPM&versionKey.name=nothing", Status: ok,
			WantBody: `{"results":[]}`,
		},
		routetest.Scenario{
			Name: "query in the protocol's own spelling", Status: ok, Contains: []string{`"name":"@stoa/column"`},
			URL: "/v3alpha/query?version_key.system=npm&version_key.name=%40stoa%2Fcolumn",
		},
		routetest.Scenario{
			Name: "query with broken escapes", URL: "/v3alpha/query?versionKey.name=%25&hash.type=MD5&hash.value=%21",
			Status: bad, Contains: []string{"base64"},
		},
		routetest.Scenario{
			Name: "purl", URL: "/v3alpha/purl/pkg%3Anpm%2F%2540stoa%2Fcolumn%402.0.0", Status: ok,
			Contains: []string{`{"version":{"versionKey"`},
		},
		routetest.Scenario{
			Name: "purl of a package", URL: "/v3alpha/purl/pkg%3Anpm%2F%2540stoa%2Fcolumn", Status: ok,
			Contains: []string{`{"package":{"packageKey"`},
		},
		routetest.Scenario{Name: "purl that is none", URL: "/v3alpha/purl/npm", Status: bad},
		routetest.Scenario{
			Name: "purl batch", Method: "POST", URL: "/v3alpha/purlbatch",
			Body: `{"requests":[{"purl":"pkg:npm/%40stoa/column@2.0.0"},{"purl":"pkg:npm/x@1"}]}`, Status: ok,
			Golden: true,
		},
		routetest.Scenario{
			Name: "purl batch without a version", Method: "POST", URL: "/v3alpha/purlbatch",
			Body: `{"requests":[{"purl":"pkg:npm/x"}]}`, Status: bad, Contains: []string{"requests[0].purl"},
		},
		routetest.Scenario{Name: "nothing there", URL: "/v3/nothing", Status: gone},
		routetest.Scenario{
			Name: "wrong method", Method: "DELETE", URL: "/v3alpha/query", Status: 405,
			WantHeader: map[string]string{"Allow": "*"},
		},
	)
	routetest.Run(t, handler, all)
	// The advisory operation succeeds in TestAdvisories.
	routes := h.Module.Routes[:0:0]
	for _, r := range h.Module.Routes {
		if r.Name != "GetAdvisory" {
			routes = append(routes, r)
		}
	}
	routetest.Coverage(t, routes, handler)
}

package source_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// pages is a registry of made-up documents.
type pages map[string]string

func (p pages) Get(_ context.Context, r registry.Request) (*registry.Response, error) {
	body, ok := p[r.URL]
	if !ok {
		return nil, registry.ErrNotFound
	}
	kind := "text/html"
	if strings.HasPrefix(body, "{") {
		kind = "application/json"
	}
	return &registry.Response{Body: []byte(body), URL: r.URL, ContentType: kind}, nil
}

func archive(t testing.TB, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const npmAt = "https://npm.registry.example"

// readNPM reads one version of a made-up package document.
func readNPM(t *testing.T, p pages, manifest string) *catalog.Version {
	t.Helper()
	p[npmAt+"/x"] = fmt.Sprintf(`{"name":"x","versions":{"1.0.0":%s}}`, manifest)
	s := source.New(catalog.NPM, p, []registry.Address{address(t, npmAt)}, nil)
	list, err := s.Package(t.Context(), "x", source.Validators{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Version(t.Context(), list.Package.Versions[0])
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNPMBundlesEverythingWhenTrue(t *testing.T) {
	t.Parallel()
	p := pages{npmAt + "/x.tgz": archive(t, map[string]string{
		"package/package.json":                                           `{"name":"x"}`,
		"package/node_modules/a/package.json":                            `{"name":"a","version":"1.0.0","dependencies":{"b":"^1"}}`,
		"package/node_modules/a/node_modules/@s/b/package.json":          `{"name":"@s/b","version":"2.0.0"}`,
		"package/node_modules/a/test/package.json":                       `{"name":"not a bundle"}`,
		"package/node_modules/@s/package.json":                           `{"name":"not a bundle either"}`,
		"package/node_modules/a/node_modules/@s/b/fixtures/package.json": `{`,
	})}
	v := readNPM(t, p, `{"name":"x","version":"1.0.0","dependencies":{"b":"1","a":"^1"},"bundleDependencies":true,"dist":{"tarball":"`+npmAt+`/x.tgz"}}`)
	got := v.Requires.NPM
	if diff := cmp.Diff([]string{"a", "b"}, got.Dependencies.BundleDependencies); diff != "" {
		t.Errorf("bundleDependencies (-want +got):\n%s", diff)
	}
	var found []string
	for _, b := range got.Bundled {
		found = append(found, b.Path+" "+b.Name+" "+b.Version)
	}
	want := []string{"node_modules/a a 1.0.0", "node_modules/a/node_modules/@s/b @s/b 2.0.0"}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("bundled (-want +got):\n%s", diff)
	}
	if len(v.Artifacts) != 1 || len(v.Artifacts[0].Hashes) != 4 {
		t.Errorf("artifacts %+v, want one with all four digests, since it was fetched", v.Artifacts)
	}
}

func TestNPMReadsWhatAuthorsWrite(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, manifest, licenses, project string }{
		{
			"license as an object",
			`{"license":{"type":"MIT","url":"x"},"repository":{"type":"git","url":"git+https://github.com/a/b.git"}}`,
			"MIT", "github.com/a/b",
		},
		{
			"licenses as a list", `{"licenses":[{"type":"MIT"},"Apache-2.0"],"repository":"a/b"}`, "MIT Apache-2.0",
			"github.com/a/b",
		},
		{"license as a list", `{"license":["MIT","ISC"],"repository":"gitlab:a/b"}`, "MIT ISC", "gitlab.com/a/b"},
		{
			"members of the wrong type",
			`{"license":7,"repository":[1],"bugs":true,"dependencies":["x"],"bundleDependencies":"a"}`, "", "",
		},
		{"a manifest that is none", `7`, "", ""},
		{"unlicensed", `{"license":"SEE LICENSE IN x"}`, "non-standard", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			v := readNPM(t, pages{}, row.manifest)
			var ids []string
			for _, l := range v.Licenses {
				ids = append(ids, l.SPDX)
			}
			if got := strings.Join(ids, " "); got != row.licenses {
				t.Errorf("licenses %q, want %q", got, row.licenses)
			}
			project := ""
			if len(v.Related) > 0 {
				project = v.Related[0].Project
			}
			if project != row.project {
				t.Errorf("project %q, want %q", project, row.project)
			}
		})
	}
}

// TestNPMBrokenManifestHidesNoOther: what the others say is read, escapes and
// requirements that are objects too.
func TestNPMBrokenManifestHidesNoOther(t *testing.T) {
	t.Parallel()
	good := `{"license":"\u004dIT","dependencies":{"a":"^1","b":{"version":"\u003e=2"},"c":7}}`
	for _, broken := range []string{`{"dist":7}`, `7`, `{"name":{}}`, `{}`} {
		p := pages{npmAt + "/x": `{"name":"x","dist-tags":{"latest":"2.0.0"},"time":{"2.0.0":"2024-01-02T03:04:05Z"},
			"versions":{"1.0.0":` + broken + `,"2.0.0":` + good + `}}`}
		list, err := source.New(catalog.NPM, p, []registry.Address{address(t, npmAt)}, nil).
			Package(t.Context(), "x", source.Validators{})
		if err != nil || len(list.Package.Versions) != 2 || list.Package.Tag != "2.0.0" {
			t.Fatalf("%s: %+v, %v", broken, list, err)
		}
		for _, v := range list.Package.Versions {
			if v.Key.Version != "2.0.0" {
				continue
			}
			want := []catalog.Requirement{{Name: "a", Requirement: "^1"}, {Name: "b", Requirement: ">=2"}, {Name: "c"}}
			if diff := cmp.Diff(want, v.Requires.NPM.Dependencies.Dependencies); diff != "" {
				t.Errorf("%s (-want +got):\n%s", broken, diff)
			}
			if len(v.Licenses) != 1 || v.Licenses[0].SPDX != "MIT" || v.Published.IsZero() {
				t.Errorf("%s: %+v", broken, v)
			}
		}
	}
}

// yes is a verifier that believes everything it is shown.
type yes struct{ shown *catalog.Hash }

func (y yes) Verify(_ context.Context, _ []byte, h catalog.Hash) bool {
	*y.shown = h
	return true
}

func TestNPMAttestations(t *testing.T) {
	t.Parallel()
	payload := func(text string) string { b, _ := json.Marshal([]byte(text)); return string(b) }
	v1 := `{"predicateType":"https://slsa.dev/provenance/v1","predicate":{"buildDefinition":{"externalParameters":{"workflow":{"repository":"https://github.com/a/b"}},"resolvedDependencies":[{"uri":"git+https://github.com/a/b@refs/heads/main","digest":{"gitCommit":"c1"}}]}}}`
	v02 := `{"predicateType":"https://slsa.dev/provenance/v0.2","predicate":{"invocation":{"configSource":{"uri":"git+https://github.com/a/b@refs/tags/v1","digest":{"sha1":"c2"}}}}}`
	publish := `{"predicateType":"https://registry.example/publish/v0.1"}`
	p := pages{npmAt + "/att": fmt.Sprintf(`{"attestations":[{"predicateType":"https://slsa.dev/provenance/v1","bundle":{"dsseEnvelope":{"payload":%s}}},
		{"predicateType":"https://slsa.dev/provenance/v0.2","bundle":{"dsseEnvelope":{"payload":%s}}},{"predicateType":"https://registry.example/publish/v0.1","bundle":{"dsseEnvelope":{"payload":%s}}},
		{"predicateType":"x","bundle":7}]}`, payload(v1), payload(v02), payload(publish))}
	p[npmAt+"/x"] = `{"name":"x","versions":{"1.0.0":{"dist":{"tarball":"` + npmAt + `/x.tgz","shasum":"e8fbf374dc556ff8947a10dcb0572d633f2cfa10","attestations":{"url":"` + npmAt + `/att","provenance":{"predicateType":"y"}}}}}}`
	shown := catalog.Hash{}
	s := source.New(catalog.NPM, p, []registry.Address{address(t, npmAt)}, yes{&shown})
	list, err := s.Package(t.Context(), "x", source.Validators{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Version(t.Context(), list.Package.Versions[0])
	if err != nil {
		t.Fatal(err)
	}
	want := []catalog.Attestation{
		{
			Type: catalog.ProvenanceV1, URL: npmAt + "/att", Repository: "https://github.com/a/b", Commit: "c1",
			Verified: true,
		},
		{
			Type: catalog.ProvenanceV02, URL: npmAt + "/att", Repository: "https://github.com/a/b", Commit: "c2",
			Verified: true,
		},
		{Type: "https://registry.example/publish/v0.1", URL: npmAt + "/att", Verified: true},
	}
	if diff := cmp.Diff(want, v.Attested); diff != "" {
		t.Errorf("attestations (-want +got):\n%s", diff)
	}
	if len(v.Related) != 1 || v.Related[0].Provenance != catalog.FromSLSA || shown.Type != catalog.SHA1 {
		t.Errorf("related %+v, verified against %s", v.Related, shown.Type)
	}
}

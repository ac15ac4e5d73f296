package source_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// fuzzAdapter lets a registry answer every request with the same bytes. What
// comes out is either an error of the closed list or a package that the store
// may take.
func fuzzAdapter(f *testing.F, system catalog.System, name, file string) {
	f.Helper()
	_, p := play(f, system, file)
	for _, e := range p.Exchanges {
		if len(e.Text) > 0 && len(e.Text) < 8000 {
			fuzztest.Bytes(f, []byte(e.Text))
		}
	}
	fuzztest.Bytes(f,
		[]byte("{}"),
		[]byte("<html><a href='x'>"),
	)
	f.Fuzz(func(t *testing.T, body []byte) {
		s := source.New(system, same(body), []registry.Address{address(t, "https://registry.example")}, nil)
		list, err := s.Package(t.Context(), name, source.Validators{})
		if err != nil {
			checkKind(t, err)
			return
		}
		for i, v := range list.Package.Versions {
			if err := v.Key.Check(); err != nil || v.Key.Name != name {
				t.Errorf("key %v: %v", v.Key, err)
			}
			if i > 1 {
				continue
			}
			if _, err := s.Version(t.Context(), v); err != nil {
				checkKind(t, err)
			}
		}
	})
}

func checkKind(t *testing.T, err error) {
	t.Helper()
	var garbage *source.GarbageError
	if !errors.As(err, &garbage) && !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("an error of another kind: %v", err)
	}
}

// same answers everything with the same bytes.
type same []byte

func (s same) Get(_ context.Context, r registry.Request) (*registry.Response, error) {
	kind := "application/json"
	if strings.Contains(string(s), "<") {
		kind = "text/html"
	}
	if r.MaxBody > 0 && int64(len(s)) > r.MaxBody {
		return nil, registry.ErrTooLarge
	}
	return &registry.Response{Body: s, ContentType: kind, URL: r.URL}, nil
}

func FuzzGo(f *testing.F)       { fuzzAdapter(f, catalog.Go, "github.com/google/uuid", "go") }
func FuzzNPM(f *testing.F)      { fuzzAdapter(f, catalog.NPM, "isexe", "npm") }
func FuzzCargo(f *testing.F)    { fuzzAdapter(f, catalog.Cargo, "itoa", "cargo") }
func FuzzMaven(f *testing.F)    { fuzzAdapter(f, catalog.Maven, "junit:junit", "maven") }
func FuzzPyPI(f *testing.F)     { fuzzAdapter(f, catalog.PyPI, "sampleproject", "pypi") }
func FuzzNuGet(f *testing.F)    { fuzzAdapter(f, catalog.NuGet, "nlog", "nuget") }
func FuzzRubyGems(f *testing.F) { fuzzAdapter(f, catalog.RubyGems, "nokogiri", "rubygems") }

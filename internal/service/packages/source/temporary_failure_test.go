package source_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// busyAt answers from a tape, but for one address at which the registry is busy.
type busyAt struct {
	*tape
	address string
}

func (b busyAt) Get(ctx context.Context, r registry.Request) (*registry.Response, error) {
	if r.URL == b.address {
		return nil, &registry.StatusError{Status: http.StatusServiceUnavailable, Host: "registry.example"}
	}
	return b.tape.Get(ctx, r)
}

// TestTemporaryFailureIsNoAnswer: a version of which one document cannot be read now is not taken for one that has
// no such document: it would be stored as complete, and never be asked about again.
func TestTemporaryFailureIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		system              catalog.System
		file, name, version string
	}{
		{catalog.Go, "go", "github.com/google/uuid", "v1.6.0"},
		{catalog.NPM, "npm", "isexe", "2.0.0"},
		{catalog.Cargo, "cargo", "itoa", "1.0.1"},
		{catalog.PyPI, "pypi", "sampleproject", "3.0.0"},
		{catalog.Maven, "maven", "junit:junit", "4.13.2"},
		{catalog.NuGet, "nuget", "nlog", "4.7.3"},
		{catalog.RubyGems, "rubygems", "rubystats", "0.3.0"},
	} {
		t.Run(string(row.system), func(t *testing.T) {
			t.Parallel()
			s, p := play(t, row.system, row.file)
			list, err := s.Package(t.Context(), row.name, source.Validators{})
			if err != nil {
				t.Fatal(err)
			}
			var listed catalog.Version
			for _, v := range list.Package.Versions {
				if v.Key.Version == row.version {
					listed = v
				}
			}
			clear(p.asked)
			want, err := s.Version(t.Context(), listed)
			if err != nil {
				t.Fatal(err)
			}
			at := "https://" + row.file + ".registry.example"
			asked := make([]string, 0, len(p.asked))
			for one := range p.asked {
				asked = append(asked, one)
			}
			for _, one := range asked {
				busy := source.New(row.system, busyAt{p, one}, []registry.Address{address(t, at)}, nil)
				got, err := busy.Version(t.Context(), listed)
				if err == nil && cmp.Equal(got, want) {
					continue // it stands elsewhere too
				}
				if err == nil || !registry.Temporary(err) {
					t.Errorf("%s is busy: %v, complete is %v; want a temporary failure", one, err,
						got != nil && got.Complete)
				}
			}
		})
	}
}

package source_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// stamped answers with pages that have a time.
type stamped struct {
	pages pages
	at    time.Time
}

func (s stamped) Get(ctx context.Context, r registry.Request) (*registry.Response, error) {
	res, err := s.pages.Get(ctx, r)
	if err == nil && strings.HasSuffix(r.URL, ".pom") {
		res.Modified = s.at
	}
	return res, err
}

// TestMavenPublished: a version was published when its descriptor was stored.
func TestMavenPublished(t *testing.T) {
	t.Parallel()
	const at = "https://maven.example"
	from := stamped{pages{
		at + "/g/a/maven-metadata.xml": `<metadata><versioning><versions><version>1</version></versions></versioning></metadata>`,
		at + "/g/a/1/a-1.pom":          `<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version></project>`,
	}, time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)}
	s := source.New(catalog.Maven, from, []registry.Address{address(t, at)}, nil)
	list, err := s.Package(t.Context(), "g:a", source.Validators{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Version(t.Context(), list.Package.Versions[0])
	if err != nil || !v.Published.Equal(from.at) {
		t.Errorf("published %s, %v, want %s", v.Published, err, from.at)
	}
}

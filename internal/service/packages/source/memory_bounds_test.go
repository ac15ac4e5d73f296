package source

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"deps.dev/util/maven"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// hostile answers every path with hostile text.
type hostile func(url string) string

func (h hostile) Get(_ context.Context, r registry.Request) (*registry.Response, error) {
	text := h(r.URL)
	if text == "" {
		return nil, registry.ErrNotFound
	}
	if r.MaxBody > 0 && int64(len(text)) > r.MaxBody {
		return nil, registry.ErrTooLarge
	}
	return &registry.Response{Body: []byte(text), ContentType: "application/json", URL: r.URL}, nil
}

func at(t *testing.T) []registry.Address {
	t.Helper()
	a, err := registry.NewAddress(registry.NPM, "https://registry.example", "test")
	if err != nil {
		t.Fatal(err)
	}
	return []registry.Address{a}
}

// Answers that would take far more memory than they are long are refused by the
// task's budget before they are decoded.
func TestAnswersAreWeighed(t *testing.T) {
	t.Parallel()
	const n = 1_000_000
	for _, row := range []struct {
		system catalog.System
		name   string
		answer hostile
	}{
		{catalog.NuGet, "left", func(url string) string {
			if strings.HasSuffix(url, "v3/index.json") {
				return `{"resources":[{"@id":"https://registry.example/r","@type":"RegistrationsBaseUrl"}]}`
			}
			return `{"items":[{"items":[null` + strings.Repeat(",null", n) + `]}]}`
		}},
		{catalog.RubyGems, "left", func(string) string { return "[{}" + strings.Repeat(",{}", n) + "]" }},
		{catalog.PyPI, "left", func(string) string { return `{"files":[{}` + strings.Repeat(",{}", n) + "]}" }},
		{catalog.NPM, "left", func(string) string { return `{"versions":{"a":[` + strings.Repeat("[],", n) + "[]]}}" }},
		{catalog.Go, "a.example/b", func(string) string { return strings.Repeat("v1.0.0\n", n) }},
		{catalog.Maven, "a:b", func(string) string {
			return "<m><versioning><versions>" + strings.Repeat("<version/>", n/4) + "</versions></versioning></m>"
		}},
		{catalog.Cargo, "left", func(url string) string {
			if strings.HasSuffix(url, "config.json") {
				return `{"dl":"https://registry.example"}`
			}
			return `{"name":"left","vers":"1.0.0","deps":[{}` + strings.Repeat(",{}", n) + "]}"
		}},
	} {
		t.Run(string(row.system), func(t *testing.T) {
			t.Parallel()
			pool := budget.New(budget.Options{Name: "memory", Total: 32 << 20})
			owner := budget.Caller("ada")
			memory, err := pool.Take(t.Context(), owner, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer memory.Release()
			ctx := registry.WithTask(t.Context(), registry.Task{Owner: owner, Memory: memory})
			got, err := New(row.system, row.answer, at(t), nil).Package(ctx, row.name, Validators{})
			if err == nil || errors.Is(err, registry.ErrNotFound) {
				t.Errorf("got %v, %v, want a refusal", got != nil, err)
			}
		})
	}
}

// A short text that names a long property often is not filled in.
func TestPropertiesOfLinksAreBounded(t *testing.T) {
	t.Parallel()
	project := &maven.Project{}
	project.Properties.Properties = []maven.Property{
		{Name: "a", Value: strings.Repeat("x", 1<<20)}, {Name: "b", Value: strings.Repeat("y", 2000)},
	}
	for _, text := range []string{
		strings.Repeat("${a}", 1<<18), strings.Repeat("${a}", 400), strings.Repeat("${b}", 400),
	} {
		if got := plain(project, maven.String(text)); len(got) > 1<<20 {
			t.Errorf("%d bytes are filled in to %d", len(text), len(got))
		}
	}
}

// A file name of many hyphens is no release, and is found out at once.
func TestLongFileNamesAreNoReleases(t *testing.T) {
	t.Parallel()
	start := time.Now()
	if version, ok := pypiVersion(strings.Repeat("-", 1<<20)+".tar.gz", "left"); ok || time.Since(start) > time.Second {
		t.Errorf("%q after %s", version, time.Since(start))
	}
}

// The template of downloads is filled for each version, so it is short.
func TestDownloadTemplateIsBounded(t *testing.T) {
	t.Parallel()
	answer := hostile(func(url string) string {
		if strings.HasSuffix(url, "config.json") {
			return `{"dl":"https://registry.example/` + strings.Repeat("{crate}", 5000) + `"}`
		}
		return `{"name":"left","vers":"1.0.0","deps":[]}`
	})
	var garbage *GarbageError
	if _, err := New(catalog.Cargo, answer, at(t), nil).Package(t.Context(), "left", Validators{}); !errors.As(err, &garbage) {
		t.Errorf("got %v, want a *GarbageError", err)
	}
}

// Retractions times versions are bounded.
func TestRetractionsAreBounded(t *testing.T) {
	t.Parallel()
	answer := hostile(func(url string) string {
		if strings.HasSuffix(url, "/@v/list") {
			var b strings.Builder
			for i := range 20_000 {
				fmt.Fprintf(&b, "v1.0.%d\n", i)
			}
			return b.String()
		}
		return "module a.example/b\nretract (\n" + strings.Repeat("v1.0.0\n", 50_000) + ")\n"
	})
	var garbage *GarbageError
	if _, err := New(catalog.Go, answer, at(t), nil).Package(t.Context(), "a.example/b", Validators{}); !errors.As(err, &garbage) {
		t.Errorf("got %v, want a *GarbageError", err)
	}
}

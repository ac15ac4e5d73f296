package generate

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/engine/weights"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/platform/registry/machineconfig"
	"stoa.dev/stoa/internal/service/generate/api"
)

// TestPackages asks a registry the way a pull does.
func TestPackages(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/x-"+r.Header.Get("Accept"))
		_, _ = w.Write([]byte("hello"))
	}))
	t.Cleanup(server.Close)
	client := registry.NewClient(registry.ClientOptions{})
	t.Cleanup(client.Close)
	p := packages{
		machineconfig.New(machineconfig.Options{Configured: map[registry.Kind][]string{registry.NPM: {server.URL + "/npm"}}}),
		client,
	}
	bases, err := p.Registries(t.Context(), weights.NPM)
	if err != nil || len(bases) != 1 || bases[0] != server.URL+"/npm" {
		t.Fatalf("registries = %q, %v", bases, err)
	}
	got, err := p.Get(t.Context(), bases[0]+"/x", "json")
	if err != nil || string(got.Body) != "hello" || got.ContentType != "text/x-json" || got.URL != bases[0]+"/x" {
		t.Fatalf("document = %+v, %v", got, err)
	}
	d := weights.Download{
		URL: bases[0] + "/x.tgz", Path: filepath.Join(t.TempDir(), "x"), Size: 5,
		SHA256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
	}
	if err := p.Download(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(d.Path); err != nil || string(text) != "hello" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	d.Path, d.SHA256 = filepath.Join(t.TempDir(), "y"), d.SHA256[1:]+"0"
	if err := p.Download(t.Context(), d); !errors.Is(err, registry.ErrHash) {
		t.Errorf("another hash: %v, want ErrHash", err)
	}
}

// TestRemovedModel refuses requests that found a model before it was removed.
func TestRemovedModel(t *testing.T) {
	t.Parallel()
	var s Service
	s.served.Store(&served{})
	m := api.Model{ID: "gone"}
	b := s.backend(m)
	_, embedded := b.Embed(t.Context(), budget.Owner{}, m, []string{"x"})
	for method, err := range map[string]error{
		methodGenerate: b.Generate(t.Context(), &api.Prompt{Model: m}, 0, func(api.Piece) error { return nil }),
		methodEmbed:    embedded,
	} {
		var refused *api.Error
		if !errors.As(err, &refused) || refused.Code != api.CodeNotFound {
			t.Errorf("%s: %v, want that the model is not found", method, err)
		}
	}
}

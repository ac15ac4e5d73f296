//go:build !small

package attest_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sigstore/sigstore-go/pkg/testing/data"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/attest"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.json")
	if err := os.WriteFile(bad, []byte(`{"mediaType":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(dir, "none.json"), bad} {
		if _, err := attest.Open(file); err == nil {
			t.Errorf("%s was accepted", file)
		}
	}
}

// provenance is a real npm provenance bundle, the digest of the package it
// speaks about, and a verifier that trusts its authority.
func provenance(t *testing.T) (v source.Verifier, text []byte, predicate string, of catalog.Hash) {
	t.Helper()
	text, err := data.Bundle(t, "sigstore.js@2.0.0-provenance.sigstore.json").MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var bundle struct{ DSSEEnvelope struct{ Payload []byte } }
	var statement struct {
		PredicateType string
		Subject       []struct{ Digest map[string]string }
	}
	if err := json.Unmarshal(text, &bundle); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(bundle.DSSEEnvelope.Payload, &statement); err != nil {
		t.Fatal(err)
	}
	digest, err := hex.DecodeString(statement.Subject[0].Digest["sha512"])
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "roots.json")
	roots, err := data.TrustedRoot(t, "public-good.json").MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, roots, 0o600); err != nil {
		t.Fatal(err)
	}
	if v, err = attest.Open(file); err != nil {
		t.Fatal(err)
	}
	return v, text, statement.PredicateType, catalog.Hash{Type: catalog.SHA512, Digest: digest}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	v, bundle, _, digest := provenance(t)
	other := slices.Clone(digest.Digest)
	other[0] ^= 1
	forged := []byte(strings.Replace(string(bundle), `"payload":"ey`, `"payload":"eyI`, 1))
	for _, row := range []struct {
		name   string
		bundle []byte
		digest catalog.Hash
		want   bool
	}{
		{"the real bundle of the real file", bundle, digest, true},
		{"another file", bundle, catalog.Hash{Type: catalog.SHA512, Digest: other}, false},
		{"a digest that proves nothing", bundle, catalog.Hash{Type: catalog.SHA1, Digest: other[:20]}, false},
		{"a changed statement", forged, digest, false},
		{"no bundle", []byte("{}"), digest, false},
		{"no JSON", []byte("x"), digest, false},
		{"nothing", nil, digest, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := v.Verify(t.Context(), row.bundle, row.digest); got != row.want {
				t.Errorf("verified %v, want %v", got, row.want)
			}
		})
	}
}

// pages is a registry of made-up documents.
type pages map[string]string

func (p pages) Get(_ context.Context, r registry.Request) (*registry.Response, error) {
	if body, ok := p[r.URL]; ok {
		return &registry.Response{Body: []byte(body), URL: r.URL}, nil
	}
	return nil, registry.ErrNotFound
}

// TestThroughTheAdapter reads the real bundle the way a registry serves it.
func TestThroughTheAdapter(t *testing.T) {
	t.Parallel()
	v, bundle, predicate, digest := provenance(t)
	const at = "https://registry.example"
	p := pages{
		at + "/sigstore": `{"name":"sigstore","versions":{"2.0.0":{"dist":{"tarball":"` + at + `/s.tgz","integrity":"sha512-` + base64.StdEncoding.EncodeToString(digest.Digest) +
			`","attestations":{"url":"` + at + `/att","provenance":{"predicateType":"` + predicate + `"}}}}}}`,
		at + "/att": `{"attestations":[{"predicateType":"` + predicate + `","bundle":` + string(bundle) + `}]}`,
	}
	address, err := registry.NewAddress(registry.NPM, at, "test")
	if err != nil {
		t.Fatal(err)
	}
	s := source.New(catalog.NPM, p, []registry.Address{address}, v)
	list, err := s.Package(t.Context(), "sigstore", source.Validators{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Version(t.Context(), list.Package.Versions[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Attested) != 1 || !got.Attested[0].Verified ||
		got.Attested[0].Repository != "https://github.com/sigstore/sigstore-js" || got.Attested[0].Commit == "" {
		t.Errorf("attestations %+v", got.Attested)
	}
	if len(got.Related) != 1 || got.Related[0].Project != "github.com/sigstore/sigstore-js" ||
		got.Related[0].Provenance != catalog.FromSLSA {
		t.Errorf("related %+v", got.Related)
	}
}

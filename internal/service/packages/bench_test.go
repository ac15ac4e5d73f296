package packages_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// benchHouse has 500 packages of ten versions.
func benchHouse(b *testing.B) *identitytest.Server {
	b.Helper()
	var s *packages.Service
	h := identitytest.SQLite(b, func(w *world.World, identity *identity.Identity) module.Module {
		c := packages.DefaultConfig()
		c.Offline = true
		s = packages.New(w, identity, c, func(string) string { return "" })
		return s.Module()
	})
	for i := range 500 {
		p := catalog.Package{Key: catalog.PackageKey{System: catalog.NPM, Name: fmt.Sprintf("made-up-package-%d", i)}}
		for j := range 10 {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", i, j))
			version := fmt.Sprintf("1.%d.0", j)
			p.Versions = append(p.Versions, catalog.Version{
				Key: p.Key.At(version), Published: time.Unix(int64(i), 0), Complete: true,
				Licenses: catalog.Licenses("MIT"), Registries: []string{"https://registry.example/"},
				Links: []catalog.Link{
					{Label: "SOURCE_REPO", URL: "https://github.com/made/up"},
					{Label: "HOMEPAGE", URL: "https://example.com/" + p.Key.Name},
				},
				Upstream:  []catalog.Upstream{{Name: p.Key.Name, Version: version, Source: "NPM_REGISTRY"}},
				Related:   []catalog.Relation{{Project: "github.com/made/up", Provenance: catalog.FromMetadata, Type: catalog.SourceRepo}},
				Artifacts: []catalog.Artifact{{URL: "https://registry.example/x", Hashes: []catalog.Hash{{Type: catalog.SHA256, Digest: sum[:]}}}},
			})
		}
		if err := s.Put(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
	return h
}

func BenchmarkVersionBatch(b *testing.B) {
	h := benchHouse(b)
	var requests []any
	for i := range 5000 {
		requests = append(requests, map[string]any{"versionKey": map[string]string{"system": "NPM", "name": fmt.Sprintf("made-up-package-%d", i/10), "version": fmt.Sprintf("1.%d.0", i%10)}})
	}
	for b.Loop() {
		body := map[string]any{"requests": requests}
		for {
			text, err := json.Marshal(body)
			if err != nil {
				b.Fatal(err)
			}
			w := h.Call("POST", "/v3alpha/versionbatch", string(text))
			token := lastToken(w.Body.Bytes())
			if token == "" {
				break
			}
			body["pageToken"] = token
		}
	}
}

func lastToken(answer []byte) string {
	var tail struct{ NextPageToken string }
	const most = 256
	start := max(0, len(answer)-most)
	for i := len(answer) - 1; i >= start; i-- {
		if answer[i] == ']' {
			_ = json.Unmarshal([]byte("{"+string(answer[i+2:])), &tail)
			break
		}
	}
	return tail.NextPageToken
}

func BenchmarkQueryHash(b *testing.B) {
	h := benchHouse(b)
	sum := sha256.Sum256([]byte("7 7"))
	path := "/v3alpha/query?" + url.Values{"hash.type": {"SHA256"}, "hash.value": {base64.StdEncoding.EncodeToString(sum[:])}}.Encode()
	for b.Loop() {
		if w := h.Call("GET", path, ""); w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}

func BenchmarkVersion(b *testing.B) {
	h := benchHouse(b)
	for b.Loop() {
		if w := h.Call("GET", "/v3/systems/npm/packages/made-up-package-7/versions/1.7.0", ""); w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}

func BenchmarkVersionUncached(b *testing.B) {
	h := benchHouse(b)
	h.Clock.Advance(time.Second)
	for b.Loop() {
		h.Clock.Advance(time.Hour)
		if w := h.Call("GET", "/v3/systems/npm/packages/made-up-package-7/versions/1.7.0", ""); w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}

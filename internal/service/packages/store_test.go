package packages

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
)

// storeOnly is a service that asks no registry and serves no request.
func storeOnly(db *database.DB) *Service {
	w := world.Blueprint(world.Options{Clock: clock.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))})
	w.DB = db
	c := DefaultConfig()
	c.Offline = true
	return New(w, nil, c, func(string) string { return "" })
}

func example(name string, versions ...string) catalog.Package {
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.NPM, Name: name}}
	for _, v := range versions {
		p.Versions = append(p.Versions, catalog.Version{
			Key: p.Key.At(v), Complete: true, Published: time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC),
			Licenses:   catalog.Licenses("MIT", "Own"),
			Links:      []catalog.Link{{Label: "HOMEPAGE", URL: "https://x.example/?a=1&b=<2>"}},
			Registries: []string{"https://r.example/"},
			Related:    []catalog.Relation{{Project: "github.com/a/" + name, Provenance: catalog.FromSLSA, Type: catalog.SourceRepo}},
			Attested:   []catalog.Attestation{{Type: catalog.ProvenanceV1, URL: "u", Repository: "r", Commit: "c", Verified: true}},
			Upstream:   []catalog.Upstream{{Name: name, Version: v, Source: "S"}},
			Artifacts:  []catalog.Artifact{{URL: "https://r.example/" + v, Hashes: []catalog.Hash{{Type: catalog.SHA1, Digest: fmt.Appendf(nil, "%-20s", name+v)[:20]}}}},
			Requires:   &catalog.Requirements{NPM: &catalog.NPMRequirements{}},
		})
	}
	return p
}

func put(t *testing.T, s *Service, p catalog.Package, from origin) {
	t.Helper()
	if err := s.world.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error { return s.upsert(t.Context(), tx, &p, from) }); err != nil {
		t.Fatal(err)
	}
}

func TestStoreKeepsEverything(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		s := storeOnly(db)
		want := example("x", "1.0.0")
		put(t, s, want, origin{})
		row, err := findVersionRow(t.Context(), db, want.Key.At("1.0.0"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := row.decode()
		if err != nil {
			t.Fatal(err)
		}
		want.Versions[0].Default = true
		want.Versions[0].Requires.Fill()
		if a, b := fmt.Sprintf("%+v %+v", got, got.Requires.NPM), fmt.Sprintf("%+v %+v", &want.Versions[0], want.Versions[0].Requires.NPM); stripPointers(a) != stripPointers(b) {
			t.Errorf("got  %s\nwant %s", a, b)
		}
		v3, alpha := row.doc.Of(document.V3), row.doc.Of(document.V3Alpha)
		if len(v3) >= len(alpha) || v3[len(v3)-1] != '}' {
			t.Errorf("documents of %d and %d bytes", len(v3), len(alpha))
		}
	}, migrations())
}

// stripPointers makes two printed structs comparable.
func stripPointers(s string) string {
	out := []byte{}
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i] == '0' && s[i+1] == 'x' {
			for i < len(s) && s[i] != ' ' && s[i] != '}' {
				i++
			}
		}
		if i < len(s) {
			out = append(out, s[i])
		}
	}
	return string(out)
}

func TestStoreMerges(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		s := storeOnly(db)
		put(t, s, example("x", "1.0.0"), origin{})
		// A list that tells less keeps the details and moves the default.
		list := catalog.Package{Key: catalog.PackageKey{System: catalog.NPM, Name: "x"}}
		list.Versions = []catalog.Version{{Key: list.Key.At("1.0.0"), Deprecated: true}, {Key: list.Key.At("2.0.0")}}
		put(t, s, list, origin{etag: "e", checked: s.world.Clock.Now()})
		row, err := findVersionRow(t.Context(), db, list.Key.At("1.0.0"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := row.decode()
		if err != nil || v.Default || !v.Deprecated || !v.Complete || len(v.Licenses) != 2 {
			t.Errorf("version %+v, %v", v, err)
		}
		// What is no longer listed stays.
		put(t, s, catalog.Package{Key: list.Key, Versions: []catalog.Version{{Key: list.Key.At("3.0.0")}}},
			origin{checked: s.world.Clock.Now()})
		if docs, err := versionDocuments(t.Context(), db, list.Key, 10); err != nil || len(docs) != 3 {
			t.Errorf("%d versions, %v, want 3", len(docs), err)
		}
		p, err := findPackage(t.Context(), db, list.Key)
		if err != nil || p.checked.IsZero() {
			t.Errorf("package %+v, %v", p, err)
		}
	}, migrations())
}

// TestStoreWithdrawsWhatIsListedNoMore: a yanked gem is no longer the default.
func TestStoreWithdrawsWhatIsListedNoMore(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		for system, want := range map[catalog.System]string{catalog.RubyGems: "1.0.0", catalog.Go: "v2.0.0"} {
			s := storeOnly(db)
			p := catalog.Package{Key: catalog.PackageKey{System: system, Name: "x"}}
			for _, v := range []string{"1.0.0", "2.0.0"} {
				if system == catalog.Go {
					v = "v" + v
				}
				p.Versions = append(p.Versions, catalog.Version{Key: p.Key.At(v), Complete: true})
			}
			asked := origin{checked: s.world.Clock.Now()}
			put(t, s, p, asked)
			p.Versions = p.Versions[:1]
			put(t, s, p, asked)
			standing := func() string {
				t.Helper()
				docs, err := versionDocuments(t.Context(), db, p.Key, 10)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range docs {
					if v, err := document.Decode(d); err == nil && v.Default && !v.Deprecated {
						return v.Key.Version
					}
				}
				return ""
			}
			if got := standing(); got != want {
				t.Errorf("%s: the default is %q, want %q", system, got, want)
			}
			// What an import or a single version brings withdraws nothing.
			put(t, s, catalog.Package{Key: p.Key, Versions: []catalog.Version{{Key: p.Key.At(strings.Replace(want, ".0.0", ".1.0", 1)), Complete: true}}}, origin{})
			if got := standing(); got != strings.Replace(want, ".0.0", ".1.0", 1) {
				t.Errorf("%s after an import: the default is %q", system, got)
			}
		}
	}, migrations())
}

func TestStoreIndexes(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		s := storeOnly(db)
		one := example("x", "1.0.0", "1.1.0")
		put(t, s, one, origin{})
		hash := one.Versions[0].Artifacts[0].Hashes[0]
		count := func(q Selection) int {
			t.Helper()
			hits, err := versionsByDigest(t.Context(), db, q, 10)
			if err != nil {
				t.Fatal(err)
			}
			return len(hits)
		}
		for _, row := range []struct {
			name string
			q    Selection
			want int
		}{
			{"digest", Selection{Hash: hash}, 1},
			{"digest of another kind", Selection{Hash: catalog.Hash{Type: catalog.MD5, Digest: hash.Digest}}, 0},
			{"digest and system", Selection{Hash: hash, System: catalog.NPM}, 1},
			{"digest and another system", Selection{Hash: hash, System: catalog.PyPI}, 0},
			{"digest and name", Selection{Hash: hash, System: catalog.NPM, Name: "x"}, 1},
			{"digest and another version", Selection{Hash: hash, System: catalog.NPM, Name: "x", Version: "1.1.0"}, 0},
		} {
			if got := count(row.q); got != row.want {
				t.Errorf("%s: %d hits, want %d", row.name, got, row.want)
			}
		}
		// A replaced artifact is not found under its old digest.
		one.Versions[0].Artifacts[0].Hashes[0].Digest = make([]byte, 20)
		put(t, s, one, origin{})
		if got := count(Selection{Hash: hash}); got != 0 {
			t.Errorf("the old digest has %d hits", got)
		}
		if list, err := versionsOfProject(t.Context(), db, "github.com/a/x", 10); err != nil || len(list) != 2 {
			t.Errorf("%d versions of the project, %v, want 2", len(list), err)
		}
		if list, err := similarPackages(t.Context(), db, catalog.PackageKey{System: catalog.NPM, Name: "X-x"}, 10); err != nil || len(list) != 1 {
			t.Errorf("%d similar names, %v, want 1", len(list), err)
		}
	}, migrations())
}

func TestStoreFindsManyAtOnce(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		s := storeOnly(db)
		put(t, s, example("x", "1.0.0", "1.1.0"), origin{})
		put(t, s, example("y", "1.0.0"), origin{})
		key := func(name, version string) catalog.VersionKey {
			return catalog.VersionKey{System: catalog.NPM, Name: name, Version: version}
		}
		all := []catalog.VersionKey{
			key("x", "1.0.0"), key("x", "9.0.0"), key("y", "1.0.0"), key("x", "1.1.0"), key("x", "1.0.0"),
			{System: catalog.PyPI, Name: "x", Version: "1.0.0"},
			key("é '\"", "1"),
		}
		for n := 1; n <= len(all); n++ {
			found, err := findVersions(t.Context(), db, all[:n])
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range all[:n] {
				want, err := findVersion(t.Context(), db, k)
				missing, err := none(err)
				if err != nil {
					t.Fatal(err)
				}
				got, there := found[k]
				if there == missing || string(got.doc.All) != string(want.doc.All) || got.doc.Cut != want.doc.Cut ||
					got.complete != want.complete {
					t.Errorf("%s among %d: found %v, %s, want %s", k, n, there, got.doc.All, want.doc.All)
				}
			}
		}
		// What the many look-ups remember is what one look-up serves.
		out, err := s.versionsOf(t.Context(), all)
		if err != nil || out[0].doc.All == nil || out[1].doc.All != nil || out[4].doc.All == nil {
			t.Errorf("%v, %v", out, err)
		}
		if _, kept := s.versions.Get(versionCacheKey(all[3])); !kept {
			t.Error("a version that was found is not kept in memory")
		}
	}, migrations())
}

func TestStoreProgressAndStaleness(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		s, ctx := storeOnly(db), t.Context()
		if done, err := importedSoFar(ctx, db, []byte("f")); err != nil || done != 0 {
			t.Errorf("before: %d, %v", done, err)
		}
		for _, n := range []int64{3, 7} {
			if err := putImported(ctx, db, []byte("f"), n, 10); err != nil {
				t.Fatal(err)
			}
		}
		if done, err := importedSoFar(ctx, db, []byte("f")); err != nil || done != 7 {
			t.Errorf("after: %d, %v, want 7", done, err)
		}
		now := s.world.Clock.Now()
		for i, name := range []string{"old", "older", "new"} {
			put(t, s, example(name, "1.0.0"), origin{checked: now.Add([]time.Duration{-2, -3, 0}[i] * time.Hour)})
		}
		put(t, s, example("imported", "1.0.0"), origin{})
		stale, err := stalePackages(ctx, db, catalog.NPM, now.Add(-time.Hour), 10)
		if err != nil || len(stale) != 2 || stale[0].Name != "older" {
			t.Errorf("stale %v, %v, want older and old", stale, err)
		}
		if _, err := findVersion(ctx, db, catalog.VersionKey{System: catalog.NPM, Name: "no", Version: "1"}); !errors.Is(err, database.ErrNotFound) {
			t.Errorf("missing version: %v", err)
		}
	}, migrations())
}

// TestWritersOfOnePackageLoseNothing: many writers add a version each; the
// package's list names them all.
func TestWritersOfOnePackageLoseNothing(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		s := storeOnly(db)
		const writers = 8
		var wait sync.WaitGroup
		for i := range writers {
			wait.Go(func() {
				p := example("x", fmt.Sprintf("1.%d.0", i))
				if err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error { return s.upsert(t.Context(), tx, &p, origin{}) }); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		p, err := packageDocument(t.Context(), db, catalog.PackageKey{System: catalog.NPM, Name: "x"}, document.V3)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(p.doc), `"isDefault"`); got != writers {
			t.Errorf("the list names %d versions, want %d: %s", got, writers, p.doc)
		}
		if got := strings.Count(string(p.doc), `"isDefault":true`); got != 1 {
			t.Errorf("%d default versions, want 1", got)
		}
	}, migrations())
}

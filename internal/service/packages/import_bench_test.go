package packages_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// importVersions is how many versions BenchmarkImport loads each round.
const importVersions = 20_000

// BenchmarkImport loads a dump of packages of ten versions, as make bench
// does, and reports the processor time of one version in addition to the clock's.
func BenchmarkImport(b *testing.B) {
	dump := filepath.Join(b.TempDir(), "dump.jsonl")
	writeBenchDump(b, dump)
	var spent time.Duration
	for b.Loop() {
		b.StopTimer()
		var s *packages.Service
		identitytest.SQLite(b, func(w *world.World, identity *identity.Identity) module.Module {
			c := packages.DefaultConfig()
			c.Offline = true
			s = packages.New(w, identity, c, func(string) string { return "" })
			return s.Module()
		})
		b.StartTimer()
		before := processorTime(b)
		if _, err := s.Import(b.Context(), dump, packages.ImportOptions{Progress: func(module.Progress) {}}); err != nil {
			b.Fatal(err)
		}
		spent += processorTime(b) - before
	}
	each := float64(b.N * importVersions)
	b.ReportMetric(float64(spent.Microseconds())/each, "cpu-µs/version")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/each, "µs/version")
}

// BenchmarkVersionAny asks for another version each time: what a look-up in
// the store costs when memory seldom has the answer.
func BenchmarkVersionAny(b *testing.B) {
	dump := filepath.Join(b.TempDir(), "dump.jsonl")
	writeBenchDump(b, dump)
	var s *packages.Service
	h := identitytest.SQLite(b, func(w *world.World, identity *identity.Identity) module.Module {
		c := packages.DefaultConfig()
		c.Offline = true
		s = packages.New(w, identity, c, func(string) string { return "" })
		return s.Module()
	})
	if _, err := s.Import(b.Context(), dump, packages.ImportOptions{Progress: func(module.Progress) {}}); err != nil {
		b.Fatal(err)
	}
	var clients atomic.Uint64
	before := processorTime(b)
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		random := rand.New(rand.NewPCG(1, clients.Add(1)))
		for pb.Next() {
			path := fmt.Sprintf("/v3/systems/npm/packages/made-up-package-%d/versions/1.%d.0",
				random.IntN(importVersions/10), random.IntN(10))
			if w := h.Call("GET", path, ""); w.Code != 200 {
				b.Error(w.Body)
			}
		}
	})
	b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/float64(b.N), "cpu-ns/op")
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func writeBenchDump(b *testing.B, name string) {
	b.Helper()
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, `{"format":"stoa packages","version":1,"packages":%d}`+"\n", importVersions/10)
	out := json.NewEncoder(w)
	for i := range importVersions / 10 {
		if err := out.Encode(benchPackage(i)); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

func benchPackage(i int) catalog.Package {
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.NPM, Name: fmt.Sprintf("made-up-package-%d", i)}}
	for j := range 10 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", i, j))
		version := fmt.Sprintf("1.%d.0", j)
		p.Versions = append(p.Versions, catalog.Version{
			Key: p.Key.At(version), Published: time.Date(2020, 1, 1+j, 0, 0, i, 0, time.UTC), Complete: true,
			Licenses: []catalog.License{{Written: "MIT", SPDX: "MIT"}},
			Links: []catalog.Link{
				{Label: "SOURCE_REPO", URL: "https://github.com/made/up"},
				{Label: "HOMEPAGE", URL: "https://example.com/" + p.Key.Name},
			},
			Registries: []string{"https://registry.example/"},
			Related:    []catalog.Relation{{Project: fmt.Sprintf("github.com/made/up%d", i), Provenance: catalog.FromMetadata, Type: catalog.SourceRepo}},
			Upstream:   []catalog.Upstream{{Name: p.Key.Name, Version: version, Source: "NPM_REGISTRY"}},
			Artifacts:  []catalog.Artifact{{URL: "https://registry.example/" + p.Key.Name + "/-/" + version + ".tgz", Hashes: []catalog.Hash{{Type: catalog.SHA256, Digest: sum[:]}}}},
			Requires: &catalog.Requirements{NPM: &catalog.NPMRequirements{Dependencies: catalog.NPMDependencies{
				Dependencies: []catalog.Requirement{
					{Name: "a", Requirement: "^1.0.0"}, {Name: "b", Requirement: "~2.1.0"},
				},
			}}},
		})
	}
	return p
}

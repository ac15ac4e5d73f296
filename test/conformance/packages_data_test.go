package conformance_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/test/conformance"
)

// manyVersions is more than a query may return.
const manyVersions = 1100

// packagesServer opens a server that asks no registry and imports the data that
// the rows of B look at.
func packagesServer(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) *conformance.Server {
	t.Helper()
	h := open(t, conformance.Options{Configure: func(c *app.Config) {
		c.Packages.Offline = true
		c.Packages.BatchPage = 400
	}})
	file := filepath.Join(t.TempDir(), "dump.jsonl")
	lines := []string{`{"format":"stoa packages","version":1,"packages":1}`}
	for _, p := range packagesData() {
		line, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	writeFile(t, file, strings.Join(lines, "\n")+"\n")
	h.Command(t, "packages import", map[string][]string{"file": {file}})
	advisory := filepath.Join(t.TempDir(), "advisory.json")
	writeFile(t, advisory, `{"id":"OSV-2026-1","modified":"`+published(1).Format(time.RFC3339)+`","summary":"a flaw","aliases":["CVE-2026-1"],
		"severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}],
		"affected":[{"package":{"ecosystem":"npm","name":"flawed"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"},{"fixed":"2.0.0"}]}]}]}`)
	h.Command(t, "packages advisories import", map[string][]string{"file": {advisory}})
	return h
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func published(day int) time.Time {
	return time.Date(conformance.Began().Year(), time.January, day, 1, 2, 3, 0, time.UTC)
}

func digest(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

func sized(t catalog.HashType, fill byte) catalog.Hash {
	b := make([]byte, t.Size())
	for i := range b {
		b[i] = fill
	}
	return catalog.Hash{Type: t, Digest: b}
}

// pkg is a package of plain, complete versions.
func pkg(system catalog.System, name string, versions ...string) catalog.Package {
	p := catalog.Package{Key: catalog.PackageKey{System: system, Name: name}}
	for i, v := range versions {
		one := catalog.Version{
			Key: p.Key.At(v), Published: published(i + 1), Complete: true, Licenses: catalog.Licenses("MIT"),
			Upstream: []catalog.Upstream{{Name: name, Version: v, Source: "TEST"}},
		}
		if system != catalog.Go {
			one.Registries = []string{"https://registry.example/"}
			one.Artifacts = []catalog.Artifact{
				{
					URL:    "https://registry.example/" + name + "-" + v,
					Hashes: []catalog.Hash{{Type: catalog.SHA256, Digest: digest(string(system) + name + v)}},
				},
			}
		}
		p.Versions = append(p.Versions, one)
	}
	return p
}

func packagesData() []catalog.Package {
	foo := pkg(catalog.NPM, "foo", "1.0.0", "2.0.0-rc1")
	foo.Versions[1].Published = time.Time{}
	foo.Versions[0].Links = []catalog.Link{
		{Label: "HOMEPAGE", URL: "https://dead.example/nothing"},
		{Label: "SOURCE_REPO", URL: "https://github.com/a/foo"},
	}
	foo.Versions[0].Related = []catalog.Relation{
		{Project: "github.com/a/foo", Provenance: catalog.FromMetadata, Type: catalog.SourceRepo},
		{Project: "github.com/a/foo", Provenance: catalog.FromMetadata, Type: catalog.IssueTracker},
	}
	foo.Versions[0].Artifacts[0].Hashes = append(foo.Versions[0].Artifacts[0].Hashes, sized(catalog.MD5, 1),
		sized(catalog.SHA1, 2), sized(catalog.SHA512, 3))

	licenses := pkg(catalog.NPM, "licenses", "1.0.0", "2.0.0", "3.0.0", "4.0.0")
	licenses.Versions[1].Licenses = catalog.Licenses("Our Own License")
	licenses.Versions[2].Licenses = nil
	licenses.Versions[3].Licenses = catalog.Licenses("MIT", "Apache-2.0")

	flawed := pkg(catalog.NPM, "flawed", "1.0.0", "2.0.0")
	needs := pkg(catalog.NPM, "needs-flawed", "1.0.0")
	needs.Versions[0].Requires = &catalog.Requirements{NPM: &catalog.NPMRequirements{Dependencies: catalog.NPMDependencies{
		Dependencies: []catalog.Requirement{{Name: "flawed", Requirement: "^1.0.0"}},
	}}}
	flawed.Versions[0].Requires = &catalog.Requirements{NPM: &catalog.NPMRequirements{}}

	twins := []catalog.Package{pkg(catalog.NPM, "twin-a", "1.0.0"), pkg(catalog.NPM, "twin-b", "1.0.0")}
	for i := range twins {
		twins[i].Versions[0].Artifacts[0].Hashes[0].Digest = digest("shared archive")
	}

	many := make([]string, manyVersions)
	for i := range many {
		many[i] = fmt.Sprintf("1.%d.0", i)
	}
	golang := pkg(catalog.Go, "github.com/Upper/Mod", "v1.0.0")
	golang.Versions[0].Related = []catalog.Relation{
		{Project: "github.com/upper/mod", Provenance: catalog.FromGoOrigin, Type: catalog.SourceRepo},
	}
	cargo := pkg(catalog.Cargo, "serde_x", "1.0.0")
	gem := pkg(catalog.RubyGems, "RedCloth", "4.2.0")
	gem.Versions[0].Requires = &catalog.Requirements{
		RubyGems: &catalog.RubyGemsRequirements{Runtime: []catalog.Requirement{{Name: "rake", Requirement: "~> 13.0"}}},
	}
	return append(append(twins, foo, licenses, flawed, needs, golang, cargo, gem, pkg(catalog.NPM, "many", many...)),
		scopedPackage(), nugetPackage(), mavenPackage(), pythonPackage(), pkg(catalog.PyPI, "foo-bar-baz", "1.0.0"))
}

// scopedPackage has attestations of every kind and bundled manifests.
func scopedPackage() catalog.Package {
	p := pkg(catalog.NPM, "@scope/name", "1.0.0")
	v := &p.Versions[0]
	v.Attested = []catalog.Attestation{
		{
			Type: catalog.ProvenanceV1, URL: "https://registry.example/a1", Repository: "https://github.com/a/scoped",
			Commit: "c0ffee", Verified: true,
		},
		{
			Type: catalog.ProvenanceV02, URL: "https://registry.example/a2", Repository: "https://github.com/a/scoped",
			Commit: "c0ffee",
		},
		{
			Type: "https://registry.example/other/v1", URL: "https://registry.example/a3",
			Repository: "https://github.com/a/scoped", Commit: "c0ffee",
		},
	}
	v.Related = []catalog.Relation{
		{Project: "github.com/a/scoped", Provenance: catalog.FromSLSA, Type: catalog.SourceRepo},
	}
	inner := catalog.NPMDependencies{Dependencies: []catalog.Requirement{{Name: "deep", Requirement: "1"}}}
	v.Requires = &catalog.Requirements{NPM: &catalog.NPMRequirements{
		Dependencies: catalog.NPMDependencies{
			Dependencies: []catalog.Requirement{
				{Name: "bar", Requirement: "^1.2.0"}, {Name: "baz", Requirement: "*"},
			},
			DevDependencies:      []catalog.Requirement{{Name: "dev", Requirement: "~2"}},
			OptionalDependencies: []catalog.Requirement{{Name: "opt", Requirement: ">=1"}},
			PeerDependencies:     []catalog.Requirement{{Name: "peer", Requirement: "1 || 2"}},
			BundleDependencies:   []string{"bar", "baz"},
		},
		Bundled: []catalog.NPMBundle{
			{Path: "node_modules/bar", Name: "bar", Version: "1.2.0", Dependencies: inner},
			{Path: "node_modules/bar/node_modules/deep", Name: "deep", Version: "1.0.0"},
		},
	}}
	return p
}

func nugetPackage() catalog.Package {
	p := pkg(catalog.NuGet, "foo", "1.0.0")
	p.Versions[0].Upstream = []catalog.Upstream{{Name: "Foo", Version: "1.0.0.0", Source: "TEST"}}
	p.Versions[0].Requires = &catalog.Requirements{NuGet: &catalog.NuGetRequirements{Groups: []catalog.NuGetGroup{
		{TargetFramework: ".NETStandard2.0", Dependencies: []catalog.Requirement{{Name: "bar", Requirement: "[1.0.0, )"}}},
		{TargetFramework: "net8.0"},
	}}}
	return p
}

func mavenPackage() catalog.Package {
	p := pkg(catalog.Maven, "org.x:y", "1.0")
	p.Versions[0].Requires = &catalog.Requirements{Maven: &catalog.MavenRequirements{
		Parent: &catalog.VersionKey{System: catalog.Maven, Name: "org.x:parent", Version: "1"},
		Dependencies: []catalog.MavenDependency{{
			Name: "org.x:z", Version: "${x.version}", Type: "jar", Scope: "test", Optional: "true",
			Exclusions: []string{"*:*", "org.x:*"},
		}},
		Management: []catalog.MavenDependency{
			{Name: "org.x:w", Version: "2", Type: "pom", Scope: "import", Classifier: "c"},
		},
		Properties: []catalog.MavenProperty{{Name: "x.version", Value: "3"}},
		Repositories: []catalog.MavenRepository{
			{ID: "r", URL: "https://r.example", Layout: "default", ReleasesEnabled: "true", SnapshotsEnabled: "false"},
		},
	}}
	return p
}

func pythonPackage() catalog.Package {
	p := pkg(catalog.PyPI, "my-package", "1.0.0")
	p.Versions[0].Attested = []catalog.Attestation{
		{
			Type: "https://docs.registry.example/attestations/publish/v1", URL: "https://registry.example/p",
			Repository: "https://github.com/a/py", Commit: "beef",
		},
	}
	p.Versions[0].Related = []catalog.Relation{
		{Project: "github.com/a/py", Provenance: catalog.FromPublish, Type: catalog.SourceRepo},
	}
	return p
}

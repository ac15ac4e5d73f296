package source_test

import (
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// completed reads a package from its tape and completes one version.
func completed(t *testing.T, system catalog.System, file, name, version string) (*source.Listing, *catalog.Version) {
	t.Helper()
	s, _ := play(t, system, file)
	got, err := s.Package(t.Context(), name, source.Validators{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range got.Package.Versions {
		if v.Key.Version == version {
			full, err := s.Version(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			return got, full
		}
	}
	t.Fatalf("version %s is not in the list", version)
	return nil, nil
}

// TestAdapters reads one package of each ecosystem. The expected facts were
// read off the registries' documents by eye.
func TestAdapters(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		system        catalog.System
		name, version string
		def           string
		count         int
		published     string
		license, spdx string
		project       string
		provenance    catalog.Provenance
		artifact      string
		hash          catalog.HashType
		digest        string
		registry      bool
	}{
		{
			catalog.Go, "github.com/google/uuid", "v1.6.0", "v1.6.0", 15, "2024-01-23T18:54:04Z", "BSD-3-Clause",
			"BSD-3-Clause",
			"github.com/google/uuid", catalog.FromGoOrigin, "", "", "", false,
		},
		{
			catalog.NPM, "isexe", "2.0.0", "4.0.0", 14, "2024-02-23T22:24:11Z", "ISC", "ISC",
			"github.com/isaacs/isexe", catalog.FromMetadata, "https://npm.registry.example/isexe/-/isexe-2.0.0.tgz",
			catalog.SHA1, "e8fbf374dc556ff8947a10dcb0572d633f2cfa10", true,
		},
		{
			catalog.Cargo, "itoa", "1.0.1", "1.0.18", 37, "2021-12-12T20:07:27Z", "MIT OR Apache-2.0",
			"MIT OR Apache-2.0",
			"github.com/dtolnay/itoa", catalog.FromMetadata,
			"https://cargo.registry.example/api/v1/crates/itoa/1.0.1/download", catalog.SHA256,
			"1aab8fc367588b89dcee83ab0fd66b72b50b72fa1904d7095045ace2b0c81c35", true,
		},
		{
			catalog.PyPI, "sampleproject", "3.0.0", "4.0.0", 6, "2022-12-01T18:51:00Z",
			"License :: OSI Approved :: MIT License", "MIT",
			"github.com/pypa/sampleproject", catalog.FromMetadata, "https://files.registry.example/packages/ec/a8/5ec62d18adde798d33a170e7f72930357aa69a60839194c93eb0fb05e59c/sampleproject-3.0.0-py3-none-any.whl", catalog.SHA256, "2e52702990c22cf1ce50206606b769fe0dbd5646a32873916144bd5aec5473b3", true,
		},
		{
			catalog.Maven, "junit:junit", "4.13.2", "4.13.2", 32, "", "Eclipse Public License 1.0", "EPL-1.0",
			"github.com/junit-team/junit4", catalog.FromMetadata,
			"https://maven.registry.example/junit/junit/4.13.2/junit-4.13.2.jar", catalog.SHA1,
			"8ac9e16d933b6fb43bc7f576336b8f4d7eb5ba12", true,
		},
		{
			catalog.NuGet, "nlog", "4.7.3", "4.7.3", 4, "2020-07-31T22:20:36Z",
			"https://github.com/NLog/NLog/blob/master/LICENSE.txt", "non-standard",
			"github.com/nlog/nlog", catalog.FromMetadata,
			"https://nuget.registry.example/v3-flatcontainer/nlog/4.7.3/nlog.4.7.3.nupkg", "", "", true,
		},
		{
			catalog.RubyGems, "rubystats", "0.3.0", "0.3.0", 2, "2017-12-02T17:23:59Z", "MIT", "MIT",
			"github.com/phillbaker/rubystats", catalog.FromMetadata,
			"https://rubygems.registry.example/gems/rubystats-0.3.0.gem", catalog.SHA256,
			"d328ec2cd0c2139ff0cb2787e1f92c799bd7557b0c58cc22f4e4728f0d510587", true,
		},
	} {
		t.Run(string(row.system), func(t *testing.T) {
			t.Parallel()
			file := map[catalog.System]string{catalog.Go: "go", catalog.NPM: "npm", catalog.Cargo: "cargo", catalog.PyPI: "pypi", catalog.Maven: "maven", catalog.NuGet: "nuget", catalog.RubyGems: "rubygems"}[row.system]
			list, v := completed(t, row.system, file, row.name, row.version)
			def := ""
			for _, one := range list.Package.Versions {
				if one.Default {
					def = one.Key.Version
				}
			}
			if def != row.def || len(list.Package.Versions) != row.count {
				t.Errorf("default %q of %d versions, want %q of %d", def, len(list.Package.Versions), row.def,
					row.count)
			}
			published := ""
			if !v.Published.IsZero() {
				published = v.Published.Format("2006-01-02T15:04:05Z")
			}
			if published != row.published {
				t.Errorf("published %q, want %q", published, row.published)
			}
			if len(v.Licenses) != 1 || v.Licenses[0].SPDX != row.spdx || v.Licenses[0].Written != row.license {
				t.Errorf("licenses %+v, want %s, written %s", v.Licenses, row.spdx, row.license)
			}
			if len(v.Related) == 0 || v.Related[0].Project != row.project || v.Related[0].Provenance != row.provenance {
				t.Errorf("related %+v, want %s by %s", v.Related, row.project, row.provenance)
			}
			if (len(v.Registries) == 1) != row.registry {
				t.Errorf("registries %v", v.Registries)
			}
			if len(v.Upstream) != 1 || v.Upstream[0].Version == "" {
				t.Errorf("upstream %+v", v.Upstream)
			}
			if !v.Complete || v.Requires == nil {
				t.Errorf("complete %v, requires %v", v.Complete, v.Requires)
			}
			if row.artifact == "" {
				if len(v.Artifacts) != 0 {
					t.Errorf("artifacts %+v, want none", v.Artifacts)
				}
				return
			}
			found := false
			for _, a := range v.Artifacts {
				// Without a recorded catalog entry an artifact has no digest.
				found = found || a.URL == row.artifact && row.hash == "" && len(a.Hashes) == 0
				for _, h := range a.Hashes {
					found = found || a.URL == row.artifact && h.Type == row.hash &&
						(row.digest == "" || hex.EncodeToString(h.Digest) == row.digest)
				}
			}
			if !found {
				t.Errorf("artifacts %+v lack %s %s %s", v.Artifacts, row.artifact, row.hash, row.digest)
			}
		})
	}
}

func TestMavenRequirementsAreAsDeclared(t *testing.T) {
	t.Parallel()
	_, v := completed(t, catalog.Maven, "maven", "junit:junit", "4.13.2")
	m := v.Requires.Maven
	if m == nil || len(m.Dependencies) != 2 {
		t.Fatalf("got %+v", m)
	}
	want := catalog.MavenDependency{Name: "org.hamcrest:hamcrest-core", Version: "${hamcrestVersion}", Type: "jar"}
	if diff := cmp.Diff(want, m.Dependencies[0]); diff != "" {
		t.Errorf("a property was touched (-want +got):\n%s", diff)
	}
	if m.Parent != nil || len(m.Properties) == 0 {
		t.Errorf("parent %v, properties %v", m.Parent, m.Properties)
	}
}

func TestUnknownPackagesAreNotFound(t *testing.T) {
	t.Parallel()
	for _, system := range catalog.Systems() {
		t.Run(string(system), func(t *testing.T) {
			t.Parallel()
			file := map[catalog.System]string{catalog.Go: "go", catalog.NPM: "npm", catalog.Cargo: "cargo", catalog.PyPI: "pypi", catalog.Maven: "maven", catalog.NuGet: "nuget", catalog.RubyGems: "rubygems"}[system]
			s, _ := play(t, system, file)
			for _, name := range []string{
				"no-such-package", "org.x:no-such", "../../etc/passwd", "a b", "example.com/no/such",
			} {
				if got, err := s.Package(t.Context(), name, source.Validators{}); !errors.Is(err, registry.ErrNotFound) {
					t.Errorf("%q: got %v, %v", name, got, err)
				}
			}
		})
	}
}

func TestPublishTimesAreUTC(t *testing.T) {
	t.Parallel()
	list, _ := completed(t, catalog.Cargo, "cargo", "itoa", "1.0.1")
	for _, v := range list.Package.Versions {
		if v.Published.Location() != time.UTC {
			t.Errorf("%s: %v", v.Key.Version, v.Published)
		}
	}
}

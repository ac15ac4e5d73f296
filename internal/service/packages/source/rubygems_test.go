package source_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// TestRubyGemsPlatforms reads a recorded list with ten files of one version.
func TestRubyGemsPlatforms(t *testing.T) {
	t.Parallel()
	list, v := completed(t, catalog.RubyGems, "rubygems", "nokogiri", "1.13.6")
	if n := len(list.Package.Versions); n != 2 {
		t.Errorf("%d versions, want 2", n)
	}
	var files []string
	for _, a := range v.Artifacts {
		files = append(files, strings.TrimPrefix(a.URL, "https://rubygems.registry.example/gems/nokogiri-1.13.6"))
		if len(a.Hashes) != 1 || a.Hashes[0].Type != catalog.SHA256 {
			t.Errorf("%s has digests %v", a.URL, a.Hashes)
		}
	}
	want := []string{
		".gem", "-x86_64-linux.gem", "-x86_64-darwin.gem", "-x86-mingw32.gem", "-x86-linux.gem", "-x64-mingw32.gem",
		"-x64-mingw-ucrt.gem", "-java.gem", "-arm64-darwin.gem", "-aarch64-linux.gem",
	}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if got := hex.EncodeToString(v.Artifacts[0].Hashes[0].Digest); got != "b1512fdc0aba446e1ee30de3e0671518eb363e75fab53486e99e8891d44b8587" {
		t.Errorf("digest %s", got)
	}
	// The first file of the version was published last of all.
	if got := v.Published.Format("2006-01-02T15:04:05"); got != "2022-05-08T14:33:57" {
		t.Errorf("published %s", got)
	}
}

// TestRubyGemsVersionDocument completes a version from its recorded document.
func TestRubyGemsVersionDocument(t *testing.T) {
	t.Parallel()
	_, v := completed(t, catalog.RubyGems, "rubygems", "rubystats", "0.3.0")
	want := &catalog.RubyGemsRequirements{
		Dev: []catalog.Requirement{
			{Name: "hoe", Requirement: ">= 1.7.0"}, {Name: "minitest", Requirement: "< 5.0, >= 4.2"},
		},
	}
	if diff := cmp.Diff(want, v.Requires.RubyGems); diff != "" {
		t.Errorf("requirements (-want +got):\n%s", diff)
	}
	links := map[string]string{}
	for _, l := range v.Links {
		links[l.Label] = l.URL
	}
	if links[catalog.LabelDocs] != "https://www.rubydoc.info/gems/rubystats/0.3.0" || links[catalog.LabelSource] == "" {
		t.Errorf("links %v", links)
	}
}

// TestRubyGemsGemDocument: without documents of versions the gem's recorded
// document completes the newest one, and no other.
func TestRubyGemsGemDocument(t *testing.T) {
	t.Parallel()
	_, newest := completed(t, catalog.RubyGems, "rubygems", "nokogiri", "1.13.6")
	want := []catalog.Requirement{
		{Name: "mini_portile2", Requirement: "~> 2.8.0"}, {Name: "racc", Requirement: "~> 1.4"},
	}
	if diff := cmp.Diff(want, newest.Requires.RubyGems.Runtime); diff != "" {
		t.Errorf("requirements (-want +got):\n%s", diff)
	}
	if dev := newest.Requires.RubyGems.Dev; len(dev) != 16 ||
		dev[9] != (catalog.Requirement{Name: "rubocop", Requirement: "~> 1.28, >= 1.28.2"}) {
		t.Errorf("development requirements %+v", dev)
	}
	if len(newest.Related) == 0 || newest.Related[0].Project != "github.com/sparklemotion/nokogiri" {
		t.Errorf("related %+v", newest.Related)
	}
	_, older := completed(t, catalog.RubyGems, "rubygems", "nokogiri", "1.13.5")
	if n := len(older.Requires.RubyGems.Runtime); n != 0 || len(older.Related) != 0 || !older.Complete {
		t.Errorf("an older version took %d requirements and %v from the newest", n, older.Related)
	}
}

// TestRubyGemsCompactIndex reads recorded compact indexes, as a mirror
// without the version API serves them.
func TestRubyGemsCompactIndex(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, version, def string
		versions, files    int
		runtime            []catalog.Requirement
		digest             string
	}{
		{
			"bcrypt_pbkdf", "1.0.1", "1.0.1", 6, 3, nil,
			"65c4c8abd31109f47ec837fb3a6d052dc090d5fab5c943b2bef3d48244d67a0b",
		},
		{
			"bcrypt_pbkdf", "1.1.0.pre.rc1", "1.0.1", 6, 3, nil,
			"4a8ce73b25e03976faca671f031dff7c7dca7e3fcc33a72f30997eae1b0ff6c8",
		},
		{
			"unf", "0.1.4", "0.1.4", 10, 2, []catalog.Requirement{{Name: "unf_ext", Requirement: ">= 0"}},
			"4999517a531f2a955750f8831941891f6158498ec9b6cb1c81ce89388e63022e",
		},
		{"nokogiri", "1.3.1", "1.4.6", 4, 4, []catalog.Requirement{
			{Name: "hoe", Requirement: ">= 1.12.2"}, {Name: "racc", Requirement: ">= 0"},
			{Name: "rake-compiler", Requirement: ">= 0"}, {Name: "rexical", Requirement: ">= 0"},
		}, "72355dfd8169956870b2c581111e638059e2c62251c6ffb8d40f7e3f36a246b9"},
		// The file for every platform stands last, behind one with a
		// requirement of its own.
		{"nokogiri", "1.4.6", "1.4.6", 4, 4, nil, "07d4dc0ae9507b331aad3e43a9e007422e73e336d996c0e40dfabf6b8d2faecc"},
		{"nokogiri", "1.4.4.2", "1.4.6", 4, 1, []catalog.Requirement{{Name: "weakling", Requirement: ">= 0.0.3"}}, ""},
	} {
		t.Run(row.name+" "+row.version, func(t *testing.T) {
			t.Parallel()
			list, v := completed(t, catalog.RubyGems, "rubygems-compact", row.name, row.version)
			def := ""
			for _, one := range list.Package.Versions {
				if one.Default {
					def = one.Key.Version
				}
			}
			if def != row.def || len(list.Package.Versions) != row.versions || len(v.Artifacts) != row.files {
				t.Errorf("default %s of %d versions, %d files; want %s of %d, %d", def, len(list.Package.Versions),
					len(v.Artifacts), row.def, row.versions, row.files)
			}
			if diff := cmp.Diff(row.runtime, v.Requires.RubyGems.Runtime); diff != "" {
				t.Errorf("requirements (-want +got):\n%s", diff)
			}
			for _, a := range v.Artifacts {
				if a.URL == "https://rubygems.registry.example/gems/"+row.name+"-"+row.version+".gem" &&
					hex.EncodeToString(a.Hashes[0].Digest) != row.digest {
					t.Errorf("digest %x, want %s", a.Hashes[0].Digest, row.digest)
				}
			}
		})
	}
}

// TestRubyGemsSynthetic has what no recording shows: runtime requirements in a
// version document, licenses that are null, two bounds in a compact index, a
// platform's file with requirements of its own before the one for all.
func TestRubyGemsSynthetic(t *testing.T) {
	t.Parallel()
	_, v := completed(t, catalog.RubyGems, "rubygems-synthetic", "nokogiri", "1.15.5")
	want := &catalog.RubyGemsRequirements{
		Runtime: []catalog.Requirement{
			{Name: "mini_portile2", Requirement: "~> 2.8.2"}, {Name: "racc", Requirement: "~> 1.4"},
		},
		Dev: []catalog.Requirement{{Name: "rake", Requirement: ">= 0"}},
	}
	if diff := cmp.Diff(want, v.Requires.RubyGems); diff != "" {
		t.Errorf("requirements (-want +got):\n%s", diff)
	}
	_, compact := completed(t, catalog.RubyGems, "rubygems-synthetic", "rack", "3.0.0")
	if len(compact.Artifacts) != 2 || len(compact.Requires.RubyGems.Runtime) != 2 ||
		compact.Requires.RubyGems.Runtime[0].Requirement != ">= 1, < 3" {
		t.Errorf("compact index: %+v %+v", compact.Artifacts, compact.Requires.RubyGems)
	}
	_, late := completed(t, catalog.RubyGems, "rubygems-synthetic", "rack", "3.1.0")
	if diff := cmp.Diff([]catalog.Requirement{{Name: "webrick", Requirement: ">= 1"}}, late.Requires.RubyGems.Runtime); diff != "" {
		t.Errorf("another platform's requirements won (-want +got):\n%s", diff)
	}
}

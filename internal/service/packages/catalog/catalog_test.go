package catalog_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

func TestCanonicalKeys(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, system, in, version, wantName, wantVersion string }{
		{"pypi follows pep 503", "PYPI", "Foo_Bar.baz", "2.7", "foo-bar-baz", "2.7.0"},
		{"pypi joins runs of separators", "PYPI", "a-_.b", "1.0a1", "a-b", "1.0.0a1"},
		{"pypi post release in its short form", "PYPI", "x", "1.0-1", "x", "1.0.0.post1"},
		{"pypi leading v and zeros", "PYPI", "x", "v2021.05.01", "x", "2021.5.1"},
		{"pypi version of no rule stays", "PYPI", "x", "not a version", "x", "not a version"},
		{"nuget lower case and three parts", "NUGET", "Foo", "1.0.0.0", "foo", "1.0.0"},
		{"nuget keeps a fourth part", "NUGET", "Foo", "1.2.3.4", "foo", "1.2.3.4"},
		{"nuget drops build and folds the tag", "NUGET", "x", "1.0-Beta+5", "x", "1.0.0-beta"},
		{"npm drops a leading v", "NPM", "@Scope/Name", "v1.2.3", "@Scope/Name", "1.2.3"},
		{"go keeps letter case", "GO", "github.com/BurntSushi/toml", "v1.0.0", "github.com/BurntSushi/toml", "v1.0.0"},
		{"maven keeps its spelling", "MAVEN", "Org.X:Y", "1.0.Final", "Org.X:Y", "1.0.Final"},
		{"gems keep their spelling", "RUBYGEMS", "RedCloth", "4.2", "RedCloth", "4.2"},
		{"crates keep their spelling", "CARGO", "serde_json", "1.0.0+x", "serde_json", "1.0.0+x"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			system, ok := catalog.ParseSystem(row.system)
			if !ok {
				t.Fatalf("system %q is not known", row.system)
			}
			got := catalog.VersionKey{System: system, Name: row.in, Version: row.version}.Canonical()
			want := catalog.VersionKey{System: system, Name: row.wantName, Version: row.wantVersion}
			if got != want {
				t.Errorf("got %v, want %v", got, want)
			}
			if again := got.Canonical(); again != got {
				t.Errorf("canonical form is not stable: %v became %v", got, again)
			}
		})
	}
}

func TestParseSystemTakesAnyLetterCase(t *testing.T) {
	t.Parallel()
	for _, s := range catalog.Systems() {
		for _, spelled := range []string{string(s), string(s[0:1]) + "x", "p" + string(s)} {
			got, ok := catalog.ParseSystem(spelled)
			if want := spelled == string(s); ok != want || (ok && got != s) {
				t.Errorf("ParseSystem(%q) = %q, %v, want %v", spelled, got, ok, want)
			}
		}
		if got := catalog.SystemOf(s.Number()); got != s {
			t.Errorf("SystemOf(%d) = %q, want %q", s.Number(), got, s)
		}
	}
	if got, ok := catalog.ParseSystem("nPm"); !ok || got != catalog.NPM {
		t.Errorf("ParseSystem(nPm) = %q, %v", got, ok)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		system catalog.System
		sorted []string
	}{
		{"go pseudo versions stand between releases", catalog.Go, []string{"v0.0.0-20190101000000-abcdefabcdef", "v0.1.0", "v1.0.0-rc.1", "v1.0.0", "v1.0.1-0.20200101000000-abcdefabcdef", "v1.0.1"}},
		{"npm numbers are not text", catalog.NPM, []string{"1.2.3-alpha.2", "1.2.3-alpha.10", "1.2.3", "1.10.0"}},
		{
			"pypi epochs, dev, post", catalog.PyPI,
			[]string{"1.0.0.dev1", "1.0.0a1", "1.0.0rc1", "1.0.0", "1.0.0.post1", "1!0.1.0"},
		},
		{
			"maven qualifiers", catalog.Maven,
			[]string{"1.0-alpha-1", "1.0-beta", "1.0-rc1", "1.0-SNAPSHOT", "1.0", "1.0-sp", "1.0.1"},
		},
		{"nuget four parts", catalog.NuGet, []string{"1.0.0-beta", "1.0.0", "1.0.0.1", "1.0.1"}},
		{"gem pre-releases", catalog.RubyGems, []string{"1.0.0.pre1", "1.0.0.rc1", "1.0.0", "1.0.0.1", "1.0.1"}},
		{"cargo", catalog.Cargo, []string{"0.9.0", "1.0.0-rc.1", "1.0.0", "1.0.1"}},
		{"what no rule reads comes first", catalog.PyPI, []string{"??", "!!!x", "0.0.1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if row.name == "what no rule reads comes first" {
				slices.Sort(row.sorted[:2])
			}
			for i, a := range row.sorted {
				for j, b := range row.sorted {
					if got := sign(catalog.Compare(row.system, a, b)); got != sign(i-j) {
						t.Errorf("Compare(%q, %q) = %d, want %d", a, b, got, sign(i-j))
					}
				}
			}
		})
	}
}

func sign(n int) int { return min(1, max(-1, n)) }

func TestDefaultVersion(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		system   catalog.System
		tag      string
		versions []string // a leading "!" marks a withdrawn version
		want     string
	}{
		{"greatest release", catalog.NPM, "", []string{"2.0.0-rc1", "1.0.0", "0.9.0"}, "1.0.0"},
		{"npm follows the tag", catalog.NPM, "0.9.0", []string{"1.0.0", "0.9.0"}, "0.9.0"},
		{"npm tag of nothing is ignored", catalog.NPM, "7.0.0", []string{"1.0.0", "0.9.0"}, "1.0.0"},
		{"npm deprecation does not hide", catalog.NPM, "", []string{"!1.0.0", "0.9.0"}, "1.0.0"},
		{"yanked crates are skipped", catalog.Cargo, "", []string{"!1.0.1", "1.0.0"}, "1.0.0"},
		{"only pre-releases", catalog.PyPI, "", []string{"1.0.0a1", "1.0.0a2"}, "1.0.0a2"},
		{"everything yanked", catalog.PyPI, "", []string{"!1.0.0", "!2.0.0"}, ""},
		{
			"go prefers releases over pseudo", catalog.Go, "",
			[]string{"v1.0.0", "v1.1.0-rc.1", "v1.2.1-0.20200101000000-abcdefabcdef"}, "v1.0.0",
		},
		{"go retraction warns and yields", catalog.Go, "", []string{"!v1.1.0", "v1.0.0"}, "v1.0.0"},
		{"maven ignores milestones", catalog.Maven, "", []string{"6.0.0-M1", "5.3.1", "5.4-SNAPSHOT"}, "5.3.1"},
		{
			"maven dates are older than numbers", catalog.Maven, "", []string{"20030203.000550", "2.20.0", "1.0"},
			"2.20.0",
		},
		{"unlisted nuget is skipped", catalog.NuGet, "", []string{"!2.0.0", "1.0.0"}, "1.0.0"},
		{"empty", catalog.Go, "", nil, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := catalog.Package{Key: catalog.PackageKey{System: row.system, Name: "x"}, Tag: row.tag}
			for _, v := range row.versions {
				withdrawn := v[0] == '!'
				if withdrawn {
					v = v[1:]
				}
				p.Versions = append(p.Versions, catalog.Version{Key: p.Key.At(v), Deprecated: withdrawn})
			}
			p.Normalize()
			got := ""
			for _, v := range p.Versions {
				if v.Default {
					got += v.Key.Version
				}
			}
			if got != row.want {
				t.Errorf("default is %q, want %q", got, row.want)
			}
		})
	}
}

func TestPurls(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		purl   string
		want   catalog.VersionKey
		writes string
	}{
		{"pkg:npm/foo", catalog.VersionKey{System: catalog.NPM, Name: "foo"}, ""},
		{
			"pkg:npm/%40scope/name@1.0.0",
			catalog.VersionKey{System: catalog.NPM, Name: "@scope/name", Version: "1.0.0"}, "",
		},
		{
			"pkg:golang/github.com/BurntSushi/toml@v1.0.0",
			catalog.VersionKey{System: catalog.Go, Name: "github.com/BurntSushi/toml", Version: "v1.0.0"}, "",
		},
		{
			"pkg:golang/gopkg.in/yaml.v3@v3.0.1",
			catalog.VersionKey{System: catalog.Go, Name: "gopkg.in/yaml.v3", Version: "v3.0.1"}, "",
		},
		{
			"pkg:golang/example.com/m@v2.0.0%2Bincompatible",
			catalog.VersionKey{System: catalog.Go, Name: "example.com/m", Version: "v2.0.0+incompatible"}, "",
		},
		{"pkg:maven/org.x/y@1", catalog.VersionKey{System: catalog.Maven, Name: "org.x:y", Version: "1"}, ""},
		{"pkg:pypi/requests@2.0.0", catalog.VersionKey{System: catalog.PyPI, Name: "requests", Version: "2.0.0"}, ""},
		{"pkg:gem/rails@7.0.0", catalog.VersionKey{System: catalog.RubyGems, Name: "rails", Version: "7.0.0"}, ""},
		{"pkg:cargo/serde@1.0.0", catalog.VersionKey{System: catalog.Cargo, Name: "serde", Version: "1.0.0"}, ""},
		{
			"pkg:nuget/castle.core@5.1.1",
			catalog.VersionKey{System: catalog.NuGet, Name: "castle.core", Version: "5.1.1"}, "",
		},
	} {
		t.Run(row.purl, func(t *testing.T) {
			t.Parallel()
			got, err := catalog.ParsePurl(row.purl)
			if err != nil || got != row.want {
				t.Fatalf("got %v, %v, want %v", got, err, row.want)
			}
			if back := got.Purl(); back != row.purl {
				t.Errorf("written back as %q, want %q", back, row.purl)
			}
		})
	}
	for _, bad := range []struct {
		purl string
		want error
	}{
		{"pkg:npm/foo@1.0.0?a=b", catalog.ErrPurlQualifiers},
		{"pkg:npm/foo@1.0.0?", catalog.ErrPurlQualifiers},
		{"pkg:npm/foo@1.0.0#sub", catalog.ErrPurlSubpath},
		{"pkg:deb/debian/curl@7", catalog.ErrPurlType},
		{"npm/foo", nil},
		{"pkg:", nil},
		{"", nil},
		{"pkg:maven/y@1", nil},
		{"pkg:pypi/a/b@1", nil},
	} {
		t.Run("refuses "+bad.purl, func(t *testing.T) {
			t.Parallel()
			got, err := catalog.ParsePurl(bad.purl)
			if err == nil || (bad.want != nil && !errors.Is(err, bad.want)) {
				t.Errorf("got %v, %v, want %v", got, err, bad.want)
			}
		})
	}
}

func TestLicenses(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"MIT":                             "MIT",
		"mit":                             "MIT",
		"MIT OR Apache-2.0":               "MIT OR Apache-2.0",
		"MIT/Apache-2.0":                  "MIT OR Apache-2.0",
		"Apache License, Version 2.0":     "Apache-2.0",
		"The Apache License, Version 2.0": "Apache-2.0",
		"The Apache Software License, Version 2.0": "Apache-2.0",
		"Apache 2.0":                                         "Apache-2.0",
		"License :: OSI Approved :: MIT License":             "MIT",
		"License :: OSI Approved :: Apache Software License": "Apache-2.0",
		"GPL-2.0-only WITH Classpath-exception-2.0":          "GPL-2.0-only WITH Classpath-exception-2.0",
		"Eclipse Public License v2.0":                        "EPL-2.0",
		"Eclipse Public License 1.0":                         "EPL-1.0",
		"GNU Lesser General Public License v3 (LGPLv3)":      "LGPL-3.0-only",
		"New BSD License":                                    "BSD-3-Clause",
		"BSD-3-Clause":                                       "BSD-3-Clause",
		"Mozilla Public License 2.0 (MPL 2.0)":               "MPL-2.0",
		"SEE LICENSE IN LICENSE.md":                          "non-standard",
		"Our Own License":                                    "non-standard",
		"LicenseRef-Custom":                                  "non-standard",
		"https://www.apache.org/licenses/LICENSE-2.0.txt":    "Apache-2.0",
	} {
		t.Run(written, func(t *testing.T) {
			t.Parallel()
			got, ok := catalog.NewLicense(written)
			if !ok || got.SPDX != want || got.Written != written {
				t.Errorf("got %+v, %v, want %q", got, ok, want)
			}
		})
	}
	if got := catalog.Licenses("", "UNKNOWN", " "); len(got) != 0 {
		t.Errorf("words that say nothing gave %v", got)
	}
	if got := catalog.Licenses("MIT", "Custom", "MIT"); len(got) != 2 {
		t.Errorf("two licenses gave %v", got)
	}
}

func TestProjects(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]string{
		"https://github.com/Google/UUID":       "github.com/google/uuid",
		"git+https://github.com/a/b.git":       "github.com/a/b",
		"git+ssh://git@github.com/a/b.git":     "github.com/a/b",
		"git@github.com:a/b.git":               "github.com/a/b",
		"git://github.com/a/b.git#main":        "github.com/a/b",
		"scm:git:https://github.com/a/b.git":   "github.com/a/b",
		"scm:git:git@github.com:a/b.git":       "github.com/a/b",
		"github:a/b":                           "github.com/a/b",
		"https://github.com/a/b/issues":        "github.com/a/b",
		"https://gitlab.com/g/sub/c/-/issues":  "gitlab.com/g/sub/c",
		"https://gitlab.com/g/sub/c/tree/main": "gitlab.com/g/sub/c",
		"https://bitbucket.org/u/r/src/master": "bitbucket.org/u/r",
		"https://www.github.com/a/b/":          "github.com/a/b",
		"https://example.com/a/b":              "",
		"https://github.com/a":                 "",
		"":                                     "",
		"%zz":                                  "",
	} {
		t.Run(link, func(t *testing.T) {
			t.Parallel()
			if got, _ := catalog.ProjectOf(link); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			// A link that is made of it keeps its letters.
			got, _ := catalog.RepositoryOf(link)
			if _, path, _ := strings.Cut(got, "/"); strings.ToLower(got) != want || !strings.Contains(link, path) {
				t.Errorf("repository %q of %q", got, link)
			}
		})
	}
}

package source_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// TestNuGetPages reads a recorded list whose pages are documents of their own.
func TestNuGetPages(t *testing.T) {
	t.Parallel()
	s, p := play(t, catalog.NuGet, "nuget")
	got, err := s.Package(t.Context(), "nlog", source.Validators{})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"1.0.0.505/4.4.0-beta5", "4.6.0-rc3/5.0.0-beta11"} {
		if n := p.asked["https://nuget.registry.example/v3/registration5-gz-semver2/nlog/page/"+page+".json"]; n != 1 {
			t.Errorf("page %s was read %d times, want once", page, n)
		}
	}
	type fact struct {
		Version, Upstream string
		Withdrawn         bool
		Year              int
	}
	var facts []fact
	for _, v := range got.Package.Versions {
		facts = append(facts, fact{v.Key.Version, v.Upstream[0].Version, v.Deprecated, v.Published.Year()})
	}
	// Build metadata is no part of a version; an unlisted version's time is
	// the registry's mark for it and not believed.
	want := []fact{
		{"1.0.0.505", "1.0.0.505", false, 2011},
		{"2.0.1", "2.0.1", true, 1},
		{"3.0.0", "3.0.0+build-632", false, 2014},
		{"4.7.3", "4.7.3", false, 2020},
	}
	if diff := cmp.Diff(want, facts); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
}

func TestNuGetRequirementsByFramework(t *testing.T) {
	t.Parallel()
	_, v := completed(t, catalog.NuGet, "nuget", "nlog", "4.7.3")
	if v.Upstream[0].Name != "NLog" {
		t.Errorf("the upstream name lost its capitals: %+v", v.Upstream)
	}
	counts := map[string]int{}
	for _, g := range v.Requires.NuGet.Groups {
		counts[g.TargetFramework] = len(g.Dependencies)
	}
	want := map[string]int{
		".NETFramework3.5": 0, ".NETFramework4.0-Client": 0, ".NETFramework4.5": 0, ".NETStandard1.3": 10,
		".NETStandard1.5": 14,
		"MonoAndroid4.4":  0, "Silverlight4.0": 0, "Silverlight5.0": 0, "WindowsPhone8.0": 0, "Xamarin.iOS1.0": 0,
		".NETStandard2.0": 0,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	first := catalog.Requirement{Name: "microsoft.extensions.platformabstractions", Requirement: "[1.0.0, )"}
	if got := v.Requires.NuGet.Groups[3].Dependencies[0]; got != first {
		t.Errorf("got %+v, want %+v", got, first)
	}
}

// TestNuGetInline reads recorded lists that carry their only page within.
func TestNuGetInline(t *testing.T) {
	t.Parallel()
	t.Run("listed", func(t *testing.T) {
		t.Parallel()
		list, v := completed(t, catalog.NuGet, "nuget", "ogcapi.net.sqlserver", "0.3.1")
		if n := len(list.Package.Versions); n != 2 || !list.Package.Versions[1].Default || v.Deprecated {
			t.Errorf("%d versions, default %v, withdrawn %v", n, list.Package.Versions[1].Default, v.Deprecated)
		}
		if len(v.Licenses) != 1 || v.Licenses[0].SPDX != "MIT" || len(v.Related) == 0 ||
			v.Related[0].Project != "github.com/sam-is/ogcapi.net" {
			t.Errorf("licenses %+v, related %+v", v.Licenses, v.Related)
		}
		want := []catalog.NuGetGroup{{TargetFramework: "net5.0", Dependencies: []catalog.Requirement{
			{Name: "ogcapi.net", Requirement: "[0.3.1, )"},
			{Name: "microsoft.data.sqlclient", Requirement: "[3.0.1, )"},
			{Name: "nettopologysuite.io.sqlserverbytes", Requirement: "[2.0.0, )"},
		}}}
		if diff := cmp.Diff(want, v.Requires.NuGet.Groups); diff != "" {
			t.Errorf("groups (-want +got):\n%s", diff)
		}
	})
	t.Run("unlisted and deprecated", func(t *testing.T) {
		t.Parallel()
		list, v := completed(t, catalog.NuGet, "nuget", "proxykit", "2.3.4")
		for _, one := range list.Package.Versions {
			if !one.Deprecated || !one.Published.IsZero() {
				t.Errorf("%s: withdrawn %v, published %v", one.Key.Version, one.Deprecated, one.Published)
			}
		}
		if v.Upstream[0].Version != "2.3.4+build.119" || len(v.Licenses) != 1 || v.Licenses[0].SPDX != "Apache-2.0" {
			t.Errorf("upstream %+v, licenses %+v", v.Upstream, v.Licenses)
		}
	})
}

// TestNuGetCatalogEntry completes a version from its recorded leaf, catalog
// entry and nuspec; no list of this package was recorded.
func TestNuGetCatalogEntry(t *testing.T) {
	t.Parallel()
	s, p := play(t, catalog.NuGet, "nuget")
	var leaf struct{ CatalogEntry, PackageContent string }
	for _, e := range p.Exchanges {
		if e.URL == "https://nuget.registry.example/v3/registration3/xunit.core/2.4.1.json" {
			if err := json.Unmarshal([]byte(e.Text), &leaf); err != nil {
				t.Fatal(err)
			}
		}
	}
	v, err := s.Version(t.Context(), catalog.Version{
		Key:       catalog.PackageKey{System: catalog.NuGet, Name: "xunit.core"}.At("2.4.1"),
		Links:     []catalog.Link{{Label: catalog.LabelOrigin, URL: leaf.CatalogEntry}},
		Artifacts: []catalog.Artifact{{URL: leaf.PackageContent}},
	})
	if err != nil {
		t.Fatal(err)
	}
	digest, err := base64.StdEncoding.DecodeString("8taMlAQy9qQ7Tbiqr2TAwGkU+X0sckQ+96j7R9OX/Ut1gmHEa4QYIrI8c15j3iKTj3XzyQMVohkTMWa80BRf6w==")
	if err != nil {
		t.Fatal(err)
	}
	want := []catalog.Artifact{{
		URL:    "https://nuget.registry.example/v3-flatcontainer/xunit.core/2.4.1/xunit.core.2.4.1.nupkg",
		Hashes: []catalog.Hash{{Type: catalog.SHA512, Digest: digest}},
	}}
	if diff := cmp.Diff(want, v.Artifacts); diff != "" || !v.Complete {
		t.Errorf("complete %v, artifacts (-want +got):\n%s", v.Complete, diff)
	}
}

// TestNuGetSynthetic has what no recording shows: a list with a page within
// and a page apart, a license only the nuspec names, a fourth part of zero.
func TestNuGetSynthetic(t *testing.T) {
	t.Parallel()
	list, v := completed(t, catalog.NuGet, "nuget-synthetic", "newtonsoft.json", "13.0.1")
	if n := len(list.Package.Versions); n != 5 || v.Upstream[0].Name != "Newtonsoft.Json" {
		t.Errorf("%d versions, upstream %+v", n, v.Upstream)
	}
	if len(v.Related) == 0 || v.Related[0].Project != "github.com/jamesnk/newtonsoft.json" ||
		len(v.Artifacts[0].Hashes) != 1 {
		t.Errorf("related %+v, artifacts %+v", v.Related, v.Artifacts)
	}
	for _, one := range list.Package.Versions {
		withdrawn := one.Key.Version == "3.5.8" || one.Key.Version == "13.0.4"
		if one.Deprecated != withdrawn {
			t.Errorf("%s: deprecated %v, want %v", one.Key.Version, one.Deprecated, withdrawn)
		}
	}
}

package source_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

const pypiAt = "https://pypi.registry.example"

func TestPyPITakesWheelsAndSourceDistributionsOnly(t *testing.T) {
	t.Parallel()
	p := pages{pypiAt + "/a-b/": `{"files":[
		{"filename":"a_b-1.0-py3-none-any.whl","url":"../files/a_b-1.0-py3-none-any.whl","hashes":{"sha256":"` + strings.Repeat("ab", 32) + `"},"upload-time":"2026-01-02T03:04:05.678901Z","yanked":false},
		{"filename":"A.B-1.0.tar.gz","url":"../files/A.B-1.0.tar.gz","hashes":{},"upload-time":"2026-01-02T03:04:04Z","yanked":true},
		{"filename":"a-b-1.1.zip","url":"../files/a-b-1.1.zip","hashes":{},"yanked":"broken"},
		{"filename":"a_b-2.0-py3.8.egg","url":"../files/a.egg","hashes":{}},
		{"filename":"a_b-2.0.win32.exe","url":"../files/a.exe","hashes":{}},
		{"filename":"other-9.0.tar.gz","url":"../files/o.tar.gz","hashes":{}}]}`}
	s := source.New(catalog.PyPI, p, []registry.Address{address(t, pypiAt)}, nil)
	list, err := s.Package(t.Context(), "a-b", source.Validators{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range list.Package.Versions {
		line := v.Key.Version
		if v.Deprecated {
			line += " yanked"
		}
		if v.Default {
			line += " default"
		}
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{"1.0.0 default", "1.1.0 yanked"}, got); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	first := list.Package.Versions[0]
	if len(first.Artifacts) != 2 || first.Artifacts[0].URL != pypiAt+"/files/a_b-1.0-py3-none-any.whl" ||
		first.Published.Format("15:04:05") != "03:04:04" {
		t.Errorf("version %+v", first)
	}
}

func TestPyPIRequirements(t *testing.T) {
	t.Parallel()
	metadata := "Metadata-Version: 2.1\nName: x\nLicense: Apache 2.0\nRequires-Python: >=3.8\nRequires-Dist: a\nRequires-Dist: b[c,d] (>=1.0,<2)\nRequires-Dist: e~=1.4 ; python_version < \"3\"\nProject-URL: Source Code, https://github.com/a/x\nProject-URL: Bug Tracker, https://github.com/a/x/issues\n\nBody: not a header\n"
	p := pages{
		pypiAt + "/x/": `<a href="/f/x-1.0-py3-none-any.whl#sha256=` + strings.Repeat("00", 32) + `" data-yanked="">x</a><a href="x">`,
		pypiAt + "/f/x-1.0-py3-none-any.whl.metadata": metadata,
	}
	s := source.New(catalog.PyPI, p, []registry.Address{address(t, pypiAt)}, nil)
	list, err := s.Package(t.Context(), "x", source.Validators{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Version(t.Context(), list.Package.Versions[0])
	if err != nil {
		t.Fatal(err)
	}
	want := &catalog.PyPIRequirements{Python: ">=3.8", Dependencies: []catalog.PyPIRequirement{
		{Name: "a"}, {Name: "b", Extras: "c,d", Specifier: ">=1.0,<2"}, {
			Name: "e", Specifier: "~=1.4", Marker: `python_version < "3"`,
		},
	}}
	if diff := cmp.Diff(want, v.Requires.PyPI); diff != "" {
		t.Errorf("requirements (-want +got):\n%s", diff)
	}
	if len(v.Related) != 2 || v.Licenses[0].SPDX != "Apache-2.0" || !v.Deprecated {
		t.Errorf("version %+v", v)
	}
}

func TestPyPIProvenance(t *testing.T) {
	t.Parallel()
	said, err := json.Marshal([]byte(`{"predicateType":"https://docs.registry.example/attestations/publish/v1"}`))
	if err != nil {
		t.Fatal(err)
	}
	p := pages{
		pypiAt + "/x/": `{"files":[{"filename":"x-1.0.tar.gz","url":"/f/x-1.0.tar.gz","hashes":{"sha256":"` + strings.Repeat("11", 32) + `"},"provenance":"` + pypiAt + `/integrity/x/1.0/x-1.0.tar.gz/provenance"}]}`,
		pypiAt + "/integrity/x/1.0/x-1.0.tar.gz/provenance": `{"attestation_bundles":[{"publisher":{"kind":"GitHub","repository":"a/x"},"attestations":[{"envelope":{"statement":` + string(said) + `,"signature":"AAAA"}}]}]}`,
	}
	shown := catalog.Hash{}
	s := source.New(catalog.PyPI, p, []registry.Address{address(t, pypiAt)}, yes{&shown})
	list, err := s.Package(t.Context(), "x", source.Validators{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Version(t.Context(), list.Package.Versions[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Attested) != 1 || v.Attested[0].Repository != "https://github.com/a/x" || !v.Attested[0].Verified ||
		shown.Type != catalog.SHA256 {
		t.Errorf("attestations %+v, verified against %s", v.Attested, shown.Type)
	}
	if len(v.Related) != 1 || v.Related[0].Provenance != catalog.FromPublish {
		t.Errorf("related %+v", v.Related)
	}
}

// TestMavenReadsSeveralRegistries: the first that has a package wins, and one
// that has not is passed over.
func TestMavenReadsSeveralRegistries(t *testing.T) {
	t.Parallel()
	const metadata = "<metadata><versioning><versions><version>%s</version></versions></versioning></metadata>"
	p := pages{
		"https://one.example/g/a/maven-metadata.xml": strings.Replace(metadata, "%s", "1.0", 1),
		"https://two.example/g/a/maven-metadata.xml": strings.Replace(metadata, "%s", "2.0", 1),
		"https://two.example/g/b/maven-metadata.xml": strings.Replace(metadata, "%s", "3.0", 1),
	}
	s := source.New(catalog.Maven, p,
		[]registry.Address{address(t, "https://one.example"), address(t, "https://two.example")}, nil)
	for name, want := range map[string]string{"g:a": "1.0 https://one.example/", "g:b": "3.0 https://two.example/"} {
		list, err := s.Package(t.Context(), name, source.Validators{})
		if err != nil {
			t.Fatal(err)
		}
		if v := list.Package.Versions[0]; v.Key.Version+" "+v.Registries[0] != want {
			t.Errorf("%s: %s %v, want %s", name, v.Key.Version, v.Registries, want)
		}
	}
}

package manifest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/packages/manifest"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, file, text string
		format           manifest.Format
		want             []string
	}{
		{
			"a list", "x", "pkg:npm/a@1.0.0\n# a comment\npkg:npm/a@1.0.0\npkg:maven/g/a@1?type=jar\npkg:pypi/B\n",
			manifest.List, []string{"NPM a 1.0.0", "MAVEN g:a 1", "PYPI b "},
		},
		{"CycloneDX with parts in parts", "bom.json", `{"bomFormat":"CycloneDX","components":[{"purl":"pkg:npm/a@1","components":[{"purl":"pkg:gem/b@2"}]},{"purl":"pkg:deb/c@3"},{}]}`, manifest.CycloneDX, []string{"NPM a 1", "RUBYGEMS b 2"}},
		{"SPDX", "s.json", `{"spdxVersion":"SPDX-2.3","packages":[{"externalRefs":[{"referenceType":"purl","referenceLocator":"pkg:cargo/x@1.0.0"},{"referenceType":"cpe","referenceLocator":"pkg:cargo/no@1"}]}]}`, manifest.SPDX, []string{"CARGO x 1.0.0"}},
		{"package-lock 3", "package-lock.json", `{"lockfileVersion":3,"packages":{"":{"name":"me","version":"1"},"node_modules/a":{"version":"1.0.0"},"node_modules/a/node_modules/@s/b":{"version":"2.0.0"},"node_modules/l":{"link":true,"version":"1"},"node_modules/alias":{"name":"real","version":"3.0.0"}}}`, manifest.PackageLock, []string{"NPM @s/b 2.0.0", "NPM a 1.0.0", "NPM real 3.0.0"}},
		{
			"package-lock 1", "package-lock.json",
			`{"lockfileVersion":1,"dependencies":{"a":{"version":"1.0.0","dependencies":{"b":{"version":"2.0.0"}}}}}`,
			manifest.PackageLock, []string{"NPM a 1.0.0", "NPM b 2.0.0"},
		},
		{
			"go.sum", "go.sum",
			"example.com/A v1.0.0 h1:x=\nexample.com/A v1.0.0/go.mod h1:y=\nexample.com/b v2.0.0/go.mod h1:z=\n",
			manifest.GoSum, []string{"GO example.com/A v1.0.0", "GO example.com/b v2.0.0"},
		},
		{"Cargo.lock", "Cargo.lock", "version = 3\n\n[[package]]\nname = \"me\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://registry.example/index\"\n", manifest.CargoLock, []string{"CARGO a 1.0.0"}},
		{
			"requirements", "requirements.txt",
			"-r other.txt\nA_b[x]==1.0 ; python_version > '3' # why\nc>=2\nd == 1.*\ne @ https://x.example/e\n",
			manifest.Requirements, []string{"PYPI a-b 1.0.0", "PYPI c ", "PYPI d "},
		},
		{"pom", "pom.xml", "<project><groupId>me</groupId><artifactId>me</artifactId><version>1</version><parent><groupId>g</groupId><artifactId>p</artifactId><version>7</version></parent><properties><v>2</v></properties><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>${v}</version></dependency><dependency><groupId>g</groupId><artifactId>b</artifactId></dependency></dependencies></project>", manifest.POM, []string{"MAVEN g:a 2", "MAVEN g:b ", "MAVEN g:p 7"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			format, keys, _, err := manifest.Read(row.file, []byte(row.text))
			if err != nil || format != row.format {
				t.Fatalf("format %q, %v, want %q", format, err, row.format)
			}
			var got []string
			for _, k := range keys {
				got = append(got, k.String())
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
		})
	}
	for name, text := range map[string]string{"prose": "hello", "other JSON": "{}", "nothing": "", "broken JSON": "{"} {
		if format, keys, _, err := manifest.Read("x", []byte(text)); !errors.Is(err, manifest.ErrUnknown) {
			t.Errorf("%s: %q, %v, %v", name, format, keys, err)
		}
	}
	_, keys, bad, err := manifest.Read("x", []byte("pkg:npm/a@1\nnonsense\npkg:npm/b@1\n"))
	if err != nil || len(keys) != 2 || len(bad) != 1 || bad[0].Line != 2 {
		t.Errorf("a bad line: %v, %v, %v", keys, bad, err)
	}
	if _, _, _, err = manifest.Read("x", []byte("pkg:npm/a@1\n"+strings.Repeat("x\n", 10_002))); err == nil {
		t.Error("a file of bad lines is a list")
	}
}

// TestHostileManifests reads files that are small and would take for ever.
func TestHostileManifests(t *testing.T) {
	t.Parallel()
	t.Run("properties that double", func(t *testing.T) {
		t.Parallel()
		var pom strings.Builder
		pom.WriteString("<project><groupId>me</groupId><artifactId>me</artifactId><version>1</version><properties>")
		for i := range 40 {
			fmt.Fprintf(&pom, "<p%d>${p%d}${p%d}</p%d>", i, i+1, i+1, i)
		}
		pom.WriteString("<p40>x</p40></properties><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>${p0}</version></dependency></dependencies></project>")
		if _, keys, _, err := manifest.Read("pom.xml", []byte(pom.String())); err == nil ||
			!strings.Contains(err.Error(), "too much text") {
			t.Errorf("%v, %v, want it to be refused", keys, err)
		}
	})
	t.Run("parts in parts in parts", func(t *testing.T) {
		t.Parallel()
		const depth = 4000
		bom := `{"bomFormat":"CycloneDX","components":[` + strings.Repeat(`{"purl":"pkg:npm/a@1","components":[`, depth) + strings.Repeat(`]}`, depth) + `]}`
		_, keys, _, err := manifest.Read("bom.json", []byte(bom))
		if err != nil || len(keys) != 1 {
			t.Errorf("%v, %v, want one key", keys, err)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"pkg:npm/a@1", `{"bomFormat":"CycloneDX"}`, "[[package]]\nname=\"x\"", "<project/>", "a h1:b",
	} {
		fuzztest.Add(f, "requirements.txt", []byte(s))
	}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		_, keys, _, err := manifest.Read(name, text)
		if err != nil {
			return
		}
		for _, k := range keys {
			if err := k.Package().Check(); err != nil {
				t.Errorf("key %v: %v", k, err)
			}
		}
	})
}

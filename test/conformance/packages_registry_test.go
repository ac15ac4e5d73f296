package conformance_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

// registriesServer opens a server whose registries are one server on this
// machine, for the rows about how registries are read.
func registriesServer(
	t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server,
) *conformance.Server {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	packed := packedArchive(t, map[string]string{
		"package/package.json":                                       `{"name":"bundles","version":"1.0.0"}`,
		"package/node_modules/a/package.json":                        `{"name":"a","version":"1.1.0","dependencies":{"deep":"^2"}}`,
		"package/node_modules/a/node_modules/deep/package.json":      `{"name":"deep","version":"2.0.0"}`,
		"package/node_modules/a/test/fixtures/package.json":          `{"name":"no package","version":"0"}`,
		"package/node_modules/a/node_modules/deep/lib/package.json":  `{"name":"no package","version":"0"}`,
		"package/lib/inner/package.json":                             `{"name":"no package","version":"0"}`,
		"package/node_modules/@s/b/package.json":                     `{"name":"@s/b","version":"3.0.0"}`,
		"package/node_modules/a/node_modules/deep/src/something.txt": "text",
	})
	claim := base64.StdEncoding.EncodeToString([]byte(`{"predicateType":"https://slsa.dev/provenance/v1","predicate":{"buildDefinition":{"externalParameters":{"workflow":{"repository":"https://github.com/a/bundles"}}}}}`))
	for path, text := range conformance.InOrder(map[string]string{
		"/npm/bundles": fmt.Sprintf(`{"name":"bundles","versions":{"1.0.0":{"name":"bundles","version":"1.0.0","dependencies":{"a":"^1.1.0","@s/b":"*"},"bundleDependencies":true,
			"dist":{"tarball":"%[1]s/npm/bundles.tgz","attestations":{"url":"%[1]s/npm/attestations"}}}}}`, server.URL),
		"/npm/bundles.tgz":  packed,
		"/npm/attestations": `{"attestations":[{"predicateType":"https://slsa.dev/provenance/v1","bundle":{"dsseEnvelope":{"payload":"` + claim + `","signatures":[{"sig":"AAAA"}]}}}]}`,

		"/second/org/x/y/maven-metadata.xml": `<metadata><versioning><versions><version>1.0</version></versions></versioning></metadata>`,
		"/second/org/x/y/1.0/y-1.0.pom": `<project><parent><groupId>org.x</groupId><artifactId>parent</artifactId><version>7</version></parent><artifactId>y</artifactId><version>1.0</version>
			<properties><z.version>3</z.version></properties><dependencies><dependency><groupId>org.x</groupId><artifactId>z</artifactId><version>${z.version}</version></dependency></dependencies></project>`,
		"/second/org/x/parent/7/parent-7.pom": `<project><artifactId>parent</artifactId><dependencies><dependency><groupId>org.x</groupId><artifactId>of-the-parent</artifactId><version>1</version></dependency></dependencies></project>`,

		"/simple/dist/": `<a href="dist-1.0.tar.gz">s</a><a href="dist-1.1-py3-none-any.whl">w</a><a href="dist-1.2.win32.exe">e</a><a href="dist-1.3-py3.egg">g</a><a href="dist-1.4.rpm">r</a>`,

		"/go/example.com/proxied/@v/list": "v1.0.0\n",
	}) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			if strings.HasPrefix(text, "<a") {
				w.Header().Set("Content-Type", "text/html")
			}
			_, _ = w.Write([]byte(text))
		})
	}
	return open(t, conformance.Options{Configure: func(c *app.Config) {
		c.Packages.Registries.NPM = []string{server.URL + "/npm"}
		c.Packages.Registries.Maven = []string{server.URL + "/first", server.URL + "/second"}
		c.Packages.Registries.PyPI = []string{server.URL + "/simple"}
		c.Packages.Registries.Go = []string{server.URL + "/go"}
	}})
}

func packedArchive(t *testing.T, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for name, text := range conformance.InOrder(files) {
		err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(text))})
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// bundleAll: the manifest says true and means every dependency.
func (p *packagesRows) bundleAll(t *testing.T) {
	deps := conformance.Sub(t, p.live.requirements(t, "NPM", "bundles", "1.0.0"), "npm", "dependencies")
	if got := fmt.Sprint(list(t, deps, "bundleDependencies")); got != "[@s/b a]" {
		t.Errorf("bundleDependencies %s, want all dependencies", got)
	}
}

// bundled: what is a package in the packed archive, nested ones too, and
// nothing else.
func (p *packagesRows) bundled(t *testing.T) {
	var paths []string
	for _, one := range objects(t, p.live.requirements(t, "NPM", "bundles", "1.0.0"), "npm", "bundled") {
		conformance.Only(t, one, "path", "name", "version", "dependencies")
		conformance.Only(t, conformance.Sub(t, one, "dependencies"), "dependencies", "devDependencies",
			"optionalDependencies", "peerDependencies", "bundleDependencies")
		paths = append(paths, conformance.Text(t, one, "path")+" "+conformance.Text(t, one, "version"))
	}
	if got, want := strings.Join(paths, ", "),
		"node_modules/@s/b 3.0.0, node_modules/a 1.1.0, node_modules/a/node_modules/deep 2.0.0"; got != want {
		t.Errorf("bundled %s, want %s", got, want)
	}
}

// unverified: the bundle claims a repository, and its signature is none.
func (p *packagesRows) unverified(t *testing.T) {
	got := objects(t, p.live.get(t, pathOf("v3", "NPM", "bundles", "1.0.0")), "attestations")
	if len(got) != 1 || conformance.Text(t, got[0], "sourceRepository") != "https://github.com/a/bundles" ||
		got[0]["verified"] != false {
		t.Errorf("attestations %v, want one that is not verified", got)
	}
	for _, r := range objects(t, p.live.get(t, pathOf("v3", "NPM", "bundles", "1.0.0")), "relatedProjects") {
		if conformance.Text(t, r, "relationProvenance") == "SLSA_ATTESTATION" {
			t.Errorf("what is not verified proves a relation: %v", r)
		}
	}
	// What was verified says so.
	if stored := objects(t, p.get(t, pathOf("v3", "NPM", "@scope/name", "1.0.0")),
		"attestations"); stored[0]["verified"] != true || stored[1]["verified"] != false {
		t.Errorf("verified %v and %v, want true and false", stored[0]["verified"], stored[1]["verified"])
	}
}

// mavenType and mavenVerbatim: the descriptor names no type, and a property
// where its parent has more dependencies.
func (p *packagesRows) mavenType(t *testing.T) {
	deps := objects(t, p.live.requirements(t, "MAVEN", "org.x:y", "1.0"), "maven", "dependencies")
	if got := conformance.Text(t, deps[0], "type"); got != "jar" {
		t.Errorf("type %q, want jar", got)
	}
}

func (p *packagesRows) mavenVerbatim(t *testing.T) {
	deps := objects(t, p.live.requirements(t, "MAVEN", "org.x:y", "1.0"), "maven", "dependencies")
	if len(deps) != 1 || conformance.Text(t, deps[0], "name") != "org.x:z" ||
		conformance.Text(t, deps[0], "version") != "${z.version}" {
		t.Errorf("dependencies %v, want the descriptor's own, as declared", deps)
	}
}

// coverage: a package of Maven may come from another registry than the first,
// PyPI has wheels and source distributions only, a module is known when the
// proxy has it, and a project through a package.
func (p *packagesRows) coverage(t *testing.T) {
	registries := list(t, p.live.get(t, pathOf("v3", "MAVEN", "org.x:y", "1.0")), "registries")
	if len(registries) != 1 || !strings.HasSuffix(fmt.Sprint(registries[0]), "/second/") {
		t.Errorf("registries %v, want the second", registries)
	}
	var versions []string
	for _, v := range objects(t, p.live.get(t, pathOf("v3", "PYPI", "dist")), "versions") {
		versions = append(versions, conformance.Text(t, v, "versionKey", "version"))
	}
	if got := strings.Join(versions, " "); got != "1.0.0 1.1.0" {
		t.Errorf("versions %q, want those of a source distribution and of a wheel", got)
	}
	p.live.get(t, pathOf("v3", "GO", "example.com/proxied"))
	p.live.h.Do(t, conformance.Call{Path: pathOf("v3", "GO", "example.com/elsewhere")}).Want(t,
		http.StatusNotFound).Refused(t)
	p.h.Do(t, conformance.Call{Path: "/v3/projects/github.com%2Fnobody%2Fnothing"}).Want(t, http.StatusNotFound).Refused(t)
	p.get(t, "/v3/projects/github.com%2Fa%2Ffoo")
}

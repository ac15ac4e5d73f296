package conformance_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/test/conformance"
)

// TestPackages proves B-01 to B-62.
func TestPackages(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		p := &packagesRows{h: packagesServer(t, open), live: &packagesRows{h: registriesServer(t, open)}}
		for id, row := range conformance.InOrder(map[string]func(*testing.T){
			"B-01": p.systems, "B-02": p.relations, "B-03": p.attestationTypes, "B-04": p.hashTypes,
			"B-05": p.keys, "B-06": p.canonicalNames, "B-07": p.packageMembers, "B-08": p.packageAlphaMembers,
			"B-09": p.publishedAt, "B-10": p.defaults, "B-11": p.versionMembers, "B-12": p.licenses,
			"B-13": p.advisories, "B-14": p.links, "B-15": p.provenances, "B-16": p.attestations, "B-17": p.unverified,
			"B-18": p.registries, "B-19": p.projects, "B-20": p.versionAlphaMembers, "B-21": p.licenseDetails,
			"B-22": p.upstream,
			"B-23": p.oneMember, "B-24": p.unresolved, "B-25": p.nuget, "B-26": p.npm, "B-27": p.bundleAll,
			"B-28": p.bundled,
			"B-29": p.maven, "B-30": p.mavenType, "B-31": p.mavenExclusions, "B-32": p.mavenStrings,
			"B-33": p.mavenVerbatim,
			"B-34": p.ownNames, "B-35": p.pep503, "B-36": p.nugetNames, "B-37": p.coverage,
			"B-38": p.escaping, "B-39": p.getPackage, "B-40": p.getVersion, "B-41": p.getRequirements,
			"B-42": p.requirementSystems,
			"B-43": p.versionBatch, "B-44": p.batchEcho, "B-45": p.batchMissing, "B-46": p.query,
			"B-47": p.queryArtifacts,
			"B-48": p.purlLookup, "B-49": p.purlBatch, "B-50": p.batchSystem, "B-51": p.batchLimit,
			"B-52": p.batchPages,
			"B-53": p.queryLimit, "B-54": p.hashSystems, "B-55": p.sharedArtifact, "B-56": p.rawDigest,
			"B-57": p.purlForms, "B-58": p.purlTypes, "B-59": p.purlParts, "B-60": p.purlEscapes,
			"B-61": p.batchTooLarge, "B-62": p.editions,
		}) {
			t.Run(id, row)
		}
	})
}

// packagesRows is a server with an imported store, and live one that reads
// registries.
type packagesRows struct {
	h    *conformance.Server
	live *packagesRows
}

// pathOf is the path of a package or, with a version, of the version.
func pathOf(edition, system, name string, version ...string) string {
	path := "/" + edition + "/systems/" + system + "/packages/" + url.PathEscape(name)
	if len(version) > 0 {
		path += "/versions/" + url.PathEscape(version[0])
	}
	return path
}

func (p *packagesRows) get(t *testing.T, path string) map[string]any {
	t.Helper()
	return p.h.Do(t, conformance.Call{Path: path}).Want(t, http.StatusOK).Object(t)
}

func (p *packagesRows) post(t *testing.T, path string, body any) *conformance.Answer {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return p.h.Do(t, conformance.Call{Method: http.MethodPost, Path: path, Body: string(text)})
}

func list(t *testing.T, object map[string]any, path ...string) []any {
	t.Helper()
	value, ok := conformance.Member(t, object, path...).([]any)
	if !ok {
		t.Fatalf("%v is %T, want a list", path, conformance.Member(t, object, path...))
	}
	return value
}

func objects(t *testing.T, object map[string]any, path ...string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, v := range list(t, object, path...) {
		one, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("an entry of %v is %T, want an object", path, v)
		}
		out = append(out, one)
	}
	return out
}

// lookup is a known package of each system.
func lookup() map[catalog.System][2]string {
	return map[catalog.System][2]string{
		catalog.Go: {"github.com/Upper/Mod", "v1.0.0"}, catalog.RubyGems: {"RedCloth", "4.2.0"}, catalog.NPM: {
			"foo", "1.0.0",
		},
		catalog.Cargo: {"serde_x", "1.0.0"}, catalog.Maven: {"org.x:y", "1.0"}, catalog.PyPI: {"my-package", "1.0.0"},
		catalog.NuGet: {"foo", "1.0.0"},
	}
}

func (p *packagesRows) systems(t *testing.T) {
	for system, known := range conformance.InOrder(lookup()) {
		for _, spelled := range []string{string(system), strings.ToLower(string(system))} {
			got := p.get(t, pathOf("v3", spelled, known[0]))
			if s := conformance.Text(t, got, "packageKey", "system"); s != string(system) {
				t.Errorf("%s: system %q", spelled, s)
			}
		}
	}
	p.h.Do(t, conformance.Call{Path: pathOf("v3", "DEBIAN", "x")}).Want(t, http.StatusBadRequest).Refused(t)
}

func (p *packagesRows) relations(t *testing.T) {
	seen := map[string]bool{}
	for _, path := range []string{
		pathOf("v3", "NPM", "foo", "1.0.0"), pathOf("v3", "NPM", "@scope/name", "1.0.0"),
		pathOf("v3", "PYPI", "my-package", "1.0.0"), pathOf("v3", "GO", "github.com/Upper/Mod", "v1.0.0"),
	} {
		for _, r := range objects(t, p.get(t, path), "relatedProjects") {
			seen[conformance.Text(t, r, "relationProvenance")] = true
			seen[conformance.Text(t, r, "relationType")] = true
		}
	}
	for _, want := range []string{
		"SLSA_ATTESTATION", "GO_ORIGIN", "PYPI_PUBLISH_ATTESTATION", "UNVERIFIED_METADATA", "SOURCE_REPO",
		"ISSUE_TRACKER",
	} {
		if !seen[want] {
			t.Errorf("no version shows %s", want)
		}
		delete(seen, want)
	}
	if len(seen) > 0 {
		t.Errorf("values outside the enumerations: %v", seen)
	}
}

func (p *packagesRows) attestationTypes(t *testing.T) {
	for path, want := range conformance.InOrder(map[string][]string{
		pathOf("v3", "NPM", "@scope/name", "1.0.0"): {
			"https://slsa.dev/provenance/v1", "https://slsa.dev/provenance/v0.2",
		},
		pathOf("v3", "PYPI", "my-package", "1.0.0"): {"https://docs.registry.example/attestations/publish/v1"},
	}) {
		got := objects(t, p.get(t, path), "attestations")
		for i, w := range want {
			if s := conformance.Text(t, got[i], "type"); s != w {
				t.Errorf("type %q, want %q", s, w)
			}
		}
	}
}

func (p *packagesRows) hashTypes(t *testing.T) {
	for _, h := range []catalog.Hash{
		sized(catalog.MD5, 1), sized(catalog.SHA1, 2),
		{Type: catalog.SHA256, Digest: digest("NPMfoo1.0.0")},
		sized(catalog.SHA512, 3),
	} {
		if got := objects(t, p.get(t, queryPath(string(h.Type), h.Digest)), "results"); len(got) != 1 {
			t.Errorf("%s: %d results, want 1", h.Type, len(got))
		}
	}
	p.h.Do(t, conformance.Call{Path: queryPath("SHA3", []byte{1})}).Want(t, http.StatusBadRequest)
}

func queryPath(kind string, raw []byte) string {
	return "/v3alpha/query?" +
		url.Values{"hash.type": {kind}, "hash.value": {base64.StdEncoding.EncodeToString(raw)}}.Encode()
}

func (p *packagesRows) keys(t *testing.T) {
	got := p.get(t, pathOf("v3", "NPM", "foo"))
	conformance.Only(t, conformance.Sub(t, got, "packageKey"), "system", "name")
	version := p.get(t, pathOf("v3", "NPM", "foo", "1.0.0"))
	conformance.Only(t, conformance.Sub(t, version, "versionKey"), "system", "name", "version")
	for _, member := range []string{"system", "name", "version"} {
		conformance.Text(t, version, "versionKey", member)
	}
}

func (p *packagesRows) canonicalNames(t *testing.T) {
	if got := conformance.Text(t, p.get(t, pathOf("v3", "PYPI", "My.Package")), "packageKey",
		"name"); got != "my-package" {
		t.Errorf("name %q, want my-package", got)
	}
}

func (p *packagesRows) packageMembers(t *testing.T) {
	for _, edition := range []string{"v3", "v3alpha"} {
		for _, v := range objects(t, p.get(t, pathOf(edition, "NPM", "licenses")), "versions") {
			conformance.Sub(t, v, "versionKey")
			conformance.Text(t, v, "publishedAt")
			if _, ok := v["isDefault"].(bool); !ok {
				t.Errorf("isDefault is %T, want a boolean", v["isDefault"])
			}
		}
	}
}

func (p *packagesRows) packageAlphaMembers(t *testing.T) {
	v3, alpha := p.get(t, pathOf("v3", "NPM", "licenses")), p.get(t, pathOf("v3alpha", "NPM", "licenses"))
	conformance.Only(t, v3, "packageKey", "versions")
	conformance.Only(t, alpha, "packageKey", "versions", "purl")
	conformance.Only(t, objects(t, v3, "versions")[0], "versionKey", "publishedAt", "isDefault")
	one := objects(t, alpha, "versions")[0]
	conformance.Only(t, one, "versionKey", "publishedAt", "isDefault", "isDeprecated", "purl")
	if got := conformance.Text(t, one, "purl"); got != "pkg:npm/licenses@1.0.0" {
		t.Errorf("purl %q", got)
	}
	if _, ok := one["isDeprecated"].(bool); !ok {
		t.Errorf("isDeprecated is %T", one["isDeprecated"])
	}
}

func (p *packagesRows) publishedAt(t *testing.T) {
	with, without := p.get(t, pathOf("v3", "NPM", "foo", "1.0.0")), p.get(t, pathOf("v3", "NPM", "foo", "2.0.0-rc1"))
	if got, err := time.Parse(time.RFC3339, conformance.Text(t, with, "publishedAt")); err != nil ||
		!got.Equal(published(1)) {
		t.Errorf("publishedAt %v, %v, want %v", got, err, published(1))
	}
	if value, there := without["publishedAt"]; there {
		t.Errorf("publishedAt is %v without a known time", value)
	}
}

func (p *packagesRows) defaults(t *testing.T) {
	for _, v := range objects(t, p.get(t, pathOf("v3", "NPM", "foo")), "versions") {
		version := conformance.Text(t, v, "versionKey", "version")
		if got, want := v["isDefault"], version == "1.0.0"; got != want {
			t.Errorf("%s: isDefault %v, want %v", version, got, want)
		}
	}
	if got := p.get(t, pathOf("v3", "NPM", "foo", "1.0.0"))["isDefault"]; got != true {
		t.Errorf("version 1.0.0: isDefault %v", got)
	}
}

func bothMembers() []string {
	return []string{
		"versionKey", "publishedAt", "isDefault", "licenses", "advisoryKeys", "links", "slsaProvenances",
		"attestations", "registries", "relatedProjects",
	}
}

func (p *packagesRows) versionMembers(t *testing.T) {
	for _, edition := range []string{"v3", "v3alpha"} {
		got := p.get(t, pathOf(edition, "NPM", "foo", "1.0.0"))
		for _, member := range bothMembers() {
			conformance.Member(t, got, member)
		}
		for _, member := range []string{
			"licenses", "advisoryKeys", "links", "slsaProvenances", "attestations", "registries", "relatedProjects",
		} {
			list(t, got, member)
		}
	}
}

func (p *packagesRows) licenses(t *testing.T) {
	for version, want := range conformance.InOrder(map[string]string{
		"1.0.0": "[MIT]", "2.0.0": "[non-standard]", "3.0.0": "[]", "4.0.0": "[MIT Apache-2.0]",
	}) {
		if got := fmt.Sprint(list(t, p.get(t, pathOf("v3", "NPM", "licenses", version)), "licenses")); got != want {
			t.Errorf("%s: licenses %s, want %s", version, got, want)
		}
	}
}

func (p *packagesRows) advisories(t *testing.T) {
	for path, want := range conformance.InOrder(map[string]string{
		pathOf("v3", "NPM", "flawed", "1.0.0"):       "[map[id:OSV-2026-1]]",
		pathOf("v3", "NPM", "flawed", "2.0.0"):       "[]",
		pathOf("v3", "NPM", "needs-flawed", "1.0.0"): "[]",
	}) {
		if got := fmt.Sprint(list(t, p.get(t, path), "advisoryKeys")); got != want {
			t.Errorf("%s: advisoryKeys %s, want %s", path, got, want)
		}
	}
	for _, id := range []string{"OSV-2026-1", "CVE-2026-1"} {
		got := p.get(t, "/v3/advisories/"+id)
		if conformance.Text(t, got, "advisoryKey", "id") != "OSV-2026-1" || fmt.Sprint(got["cvss3Score"]) != "9.8" {
			t.Errorf("advisory %s: %v", id, got)
		}
	}
}

func (p *packagesRows) links(t *testing.T) {
	got := objects(t, p.get(t, pathOf("v3", "NPM", "foo", "1.0.0")), "links")
	conformance.Only(t, got[0], "label", "url")
	if conformance.Text(t, got[0], "url") != "https://dead.example/nothing" {
		t.Errorf("the dead link is not listed: %v", got)
	}
}

func (p *packagesRows) provenances(t *testing.T) {
	got := objects(t, p.get(t, pathOf("v3", "NPM", "@scope/name", "1.0.0")), "slsaProvenances")
	if len(got) != 2 {
		t.Fatalf("%d provenances, want 2", len(got))
	}
	conformance.Only(t, got[0], "sourceRepository", "commit", "url", "verified")
	if conformance.Text(t, got[0], "commit") != "c0ffee" || got[0]["verified"] != true {
		t.Errorf("provenance %v", got[0])
	}
	if other := list(t, p.get(t, pathOf("v3", "PYPI", "my-package", "1.0.0")), "slsaProvenances"); len(other) != 0 {
		t.Errorf("a PyPI version has slsaProvenances %v", other)
	}
}

func (p *packagesRows) attestations(t *testing.T) {
	got := objects(t, p.get(t, pathOf("v3", "NPM", "@scope/name", "1.0.0")), "attestations")
	if len(got) != 3 {
		t.Fatalf("%d attestations, want 3", len(got))
	}
	conformance.Only(t, got[0], "type", "url", "sourceRepository", "commit", "verified")
	if conformance.Text(t, got[0], "sourceRepository") != "https://github.com/a/scoped" {
		t.Errorf("attestation %v", got[0])
	}
	if got[2]["sourceRepository"] != "" || got[2]["commit"] != "" {
		t.Errorf("an attestation of another type has a source: %v", got[2])
	}
}

func (p *packagesRows) registries(t *testing.T) {
	for system, known := range conformance.InOrder(lookup()) {
		got := list(t, p.get(t, pathOf("v3", string(system), known[0], known[1])), "registries")
		if want := system != catalog.Go; (len(got) == 1) != want {
			t.Errorf("%s: registries %v", system, got)
		}
	}
}

func (p *packagesRows) projects(t *testing.T) {
	related := objects(t, p.get(t, pathOf("v3", "NPM", "foo", "1.0.0")), "relatedProjects")
	conformance.Only(t, related[0], "projectKey", "relationProvenance", "relationType")
	id := conformance.Text(t, related[0], "projectKey", "id")
	if strings.Count(id, "/") != 2 || !strings.HasPrefix(id, "github.com/") {
		t.Errorf("project id %q", id)
	}
	if got := conformance.Text(t, p.get(t, "/v3/projects/"+url.PathEscape("github.com/A/Foo")), "projectKey",
		"id"); got != "github.com/a/foo" {
		t.Errorf("project %q", got)
	}
	versions := objects(t, p.get(t, "/v3/projects/"+url.PathEscape("github.com/a/foo")+":packageversions"), "versions")
	if len(versions) != 2 {
		t.Errorf("%d versions of the project, want one for each relation", len(versions))
	}
}

func (p *packagesRows) versionAlphaMembers(t *testing.T) {
	conformance.Only(t, p.get(t, pathOf("v3", "NPM", "foo", "1.0.0")), bothMembers()...)
	conformance.Only(t, p.get(t, pathOf("v3alpha", "NPM", "foo", "1.0.0")),
		append(bothMembers(), "purl", "isDeprecated", "licenseDetails", "upstreamIdentifiers")...)
}

func (p *packagesRows) licenseDetails(t *testing.T) {
	got := objects(t, p.get(t, pathOf("v3alpha", "NPM", "licenses", "2.0.0")), "licenseDetails")
	if len(got) != 1 || conformance.Text(t, got[0], "license") != "Our Own License" ||
		conformance.Text(t, got[0], "spdx") != "non-standard" {
		t.Errorf("licenseDetails %v", got)
	}
}

func (p *packagesRows) upstream(t *testing.T) {
	got := p.get(t, pathOf("v3alpha", "NUGET", "foo", "1.0.0"))
	one := objects(t, got, "upstreamIdentifiers")[0]
	conformance.Only(t, one, "packageName", "versionString", "source")
	if conformance.Text(t, got, "versionKey", "name") != "foo" || conformance.Text(t, one, "packageName") != "Foo" {
		t.Errorf("key %v, upstream %v", got["versionKey"], one)
	}
}

func rawHex(raw []byte) []byte { return []byte(hex.EncodeToString(raw)) }

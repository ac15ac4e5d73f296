package conformance_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/test/conformance"
)

func (p *packagesRows) requirements(t *testing.T, system, name, version string) map[string]any {
	t.Helper()
	return p.get(t, pathOf("v3", system, name, version)+":requirements")
}

func (p *packagesRows) oneMember(t *testing.T) {
	conformance.Only(t, p.requirements(t, "NPM", "@scope/name", "1.0.0"), "npm")
	conformance.Only(t, p.requirements(t, "MAVEN", "org.x:y", "1.0"), "maven")
	conformance.Only(t, p.requirements(t, "NUGET", "foo", "1.0.0"), "nuget")
	conformance.Only(t, p.requirements(t, "RUBYGEMS", "RedCloth", "4.2.0"), "rubygems")
}

func (p *packagesRows) unresolved(t *testing.T) {
	got := objects(t, p.requirements(t, "NPM", "@scope/name", "1.0.0"), "npm", "dependencies", "dependencies")
	if conformance.Text(t, got[0], "requirement") != "^1.2.0" {
		t.Errorf("requirement %v", got[0])
	}
}

func (p *packagesRows) nuget(t *testing.T) {
	groups := objects(t, p.requirements(t, "NUGET", "foo", "1.0.0"), "nuget", "dependencyGroups")
	if len(groups) != 2 || conformance.Text(t, groups[0], "targetFramework") != ".NETStandard2.0" {
		t.Fatalf("groups %v", groups)
	}
	conformance.Only(t, objects(t, groups[0], "dependencies")[0], "name", "requirement")
	if empty := list(t, groups[1], "dependencies"); len(empty) != 0 {
		t.Errorf("dependencies %v", empty)
	}
}

func (p *packagesRows) npm(t *testing.T) {
	deps := conformance.Sub(t, p.requirements(t, "NPM", "@scope/name", "1.0.0"), "npm", "dependencies")
	for member, name := range conformance.InOrder(map[string]string{
		"dependencies": "bar", "devDependencies": "dev", "optionalDependencies": "opt", "peerDependencies": "peer",
	}) {
		one := objects(t, deps, member)[0]
		conformance.Only(t, one, "name", "requirement")
		if conformance.Text(t, one, "name") != name {
			t.Errorf("%s: %v", member, one)
		}
	}
	if got := fmt.Sprint(list(t, deps, "bundleDependencies")); got != "[bar baz]" {
		t.Errorf("bundleDependencies %s", got)
	}
}

func (p *packagesRows) mavenRequirements(t *testing.T) map[string]any {
	t.Helper()
	return conformance.Sub(t, p.requirements(t, "MAVEN", "org.x:y", "1.0"), "maven")
}

func (p *packagesRows) maven(t *testing.T) {
	m := p.mavenRequirements(t)
	conformance.Only(t, conformance.Sub(t, m, "parent"), "system", "name", "version")
	for _, member := range []string{"dependencies", "dependencyManagement"} {
		one := objects(t, m, member)[0]
		conformance.Only(t, one, "name", "version", "classifier", "type", "scope", "optional", "exclusions")
		conformance.Text(t, one, "optional")
	}
}

func (p *packagesRows) mavenExclusions(t *testing.T) {
	if got := fmt.Sprint(list(t, objects(t, p.mavenRequirements(t), "dependencies")[0],
		"exclusions")); got != "[*:* org.x:*]" {
		t.Errorf("exclusions %s", got)
	}
}

func (p *packagesRows) mavenStrings(t *testing.T) {
	m := p.mavenRequirements(t)
	conformance.Only(t, objects(t, m, "properties")[0], "name", "value")
	repository := objects(t, m, "repositories")[0]
	conformance.Only(t, repository, "id", "url", "layout", "releasesEnabled", "snapshotsEnabled")
	if conformance.Text(t, repository, "releasesEnabled") != "true" {
		t.Errorf("repository %v", repository)
	}
}

func (p *packagesRows) ownNames(t *testing.T) {
	if got := conformance.Text(t, p.get(t, pathOf("v3", "GO", "github.com/Upper/Mod")), "packageKey",
		"name"); got != "github.com/Upper/Mod" {
		t.Errorf("name %q", got)
	}
	if got := conformance.Text(t, p.get(t, "/v3/systems/MAVEN/packages/org.x%3Ay"), "packageKey",
		"name"); got != "org.x:y" {
		t.Errorf("name %q", got)
	}
}

func (p *packagesRows) pep503(t *testing.T) {
	if got := conformance.Text(t, p.get(t, pathOf("v3", "PYPI", "Foo_Bar.baz")), "packageKey",
		"name"); got != "foo-bar-baz" {
		t.Errorf("name %q", got)
	}
}

func (p *packagesRows) nugetNames(t *testing.T) {
	got := conformance.Sub(t, p.get(t, pathOf("v3", "NUGET", "Foo", "1.0.0.0")), "versionKey")
	if got["name"] != "foo" || got["version"] != "1.0.0" {
		t.Errorf("key %v", got)
	}
}

func (p *packagesRows) escaping(t *testing.T) {
	got := p.get(t, "/v3/systems/NPM/packages/%40scope%2Fname")
	if conformance.Text(t, got, "packageKey", "name") != "@scope/name" {
		t.Errorf("key %v", got["packageKey"])
	}
}

func (p *packagesRows) getPackage(t *testing.T) {
	for _, edition := range []string{"v3", "v3alpha"} {
		p.get(t, pathOf(edition, "NPM", "foo"))
		p.h.Do(t, conformance.Call{Path: pathOf(edition, "NPM", "unknown")}).Want(t, http.StatusNotFound).Refused(t)
	}
}

func (p *packagesRows) getVersion(t *testing.T) {
	for _, edition := range []string{"v3", "v3alpha"} {
		p.get(t, pathOf(edition, "NPM", "foo", "1.0.0"))
		p.h.Do(t, conformance.Call{Path: pathOf(edition, "NPM", "foo", "9.9.9")}).Want(t, http.StatusNotFound).Refused(t)
	}
}

func (p *packagesRows) getRequirements(t *testing.T) {
	p.requirements(t, "NPM", "@scope/name", "1.0.0")
}

func (p *packagesRows) requirementSystems(t *testing.T) {
	for system, known := range conformance.InOrder(lookup()) {
		want := http.StatusNotFound
		if system.HasRequirements() {
			want = http.StatusOK
		}
		name := known[0]
		if system == catalog.NPM {
			name = "@scope/name"
		}
		p.h.Do(t, conformance.Call{Path: pathOf("v3", string(system), name, known[1]) + ":requirements"}).Want(t, want)
	}
}

type batchKey struct {
	VersionKey map[string]string `json:"versionKey"`
}

type batchBody struct {
	Requests  []batchKey `json:"requests"`
	PageToken string     `json:"pageToken,omitempty"`
}

func key(system, name, version string) batchKey {
	return batchKey{map[string]string{"system": system, "name": name, "version": version}}
}

func (p *packagesRows) versionBatch(t *testing.T) {
	got := p.post(t, "/v3alpha/versionbatch", batchBody{
		Requests: []batchKey{key("NPM", "foo", "1.0.0"), key("GO", "github.com/Upper/Mod", "v1.0.0")},
	}).Want(t, http.StatusOK).Object(t)
	conformance.Only(t, got, "responses", "nextPageToken")
	responses := objects(t, got, "responses")
	if len(responses) != 2 || conformance.Text(t, got, "nextPageToken") != "" {
		t.Fatalf("%d responses, token %v", len(responses), got["nextPageToken"])
	}
	conformance.Only(t, responses[0], "request", "version")
	conformance.Only(t, conformance.Sub(t, responses[0], "version"),
		append(bothMembers(), "purl", "isDeprecated", "licenseDetails", "upstreamIdentifiers")...)
}

func (p *packagesRows) batchEcho(t *testing.T) {
	got := objects(t,
		p.post(t, "/v3alpha/versionbatch", batchBody{Requests: []batchKey{key("PYPI", "Foo_Bar.baz", "1.0")}}).Want(t,
			http.StatusOK).Object(t), "responses")[0]
	if s := conformance.Text(t, got, "request", "versionKey", "name"); s != "Foo_Bar.baz" {
		t.Errorf("echo %q", s)
	}
	if s := conformance.Text(t, got, "version", "versionKey", "name"); s != "foo-bar-baz" {
		t.Errorf("canonical name %q", s)
	}
}

func (p *packagesRows) batchMissing(t *testing.T) {
	got := objects(t,
		p.post(t, "/v3alpha/versionbatch", batchBody{
			Requests: []batchKey{key("NPM", "foo", "1.0.0"), key("NPM", "unknown", "1")},
		}).Want(t, http.StatusOK).Object(t), "responses")
	if _, there := got[1]["version"]; there || got[0]["version"] == nil {
		t.Errorf("responses %v", got)
	}
}

func (p *packagesRows) query(t *testing.T) {
	byName := url.Values{"versionKey.system": {"npm"}, "versionKey.name": {"licenses"}}
	byHash := queryPath("SHA256", digest("NPMlicenses2.0.0"))
	for path, want := range conformance.InOrder(map[string]int{
		"/v3alpha/query?" + byName.Encode():                               4,
		"/v3alpha/query?" + byName.Encode() + "&versionKey.version=1.0.0": 1,
		byHash:                             1,
		byHash + "&" + byName.Encode():     1,
		byHash + "&versionKey.system=PYPI": 0,
	}) {
		got := objects(t, p.get(t, path), "results")
		if len(got) != want {
			t.Errorf("%s: %d results, want %d", path, len(got), want)
		}
		for _, r := range got {
			conformance.Sub(t, r, "version", "versionKey")
		}
	}
	for _, bad := range []string{
		"", "?hash.type=SHA256", "?hash.value=AAAA", "?versionKey.system=NPM", "?versionKey.version=1",
		"?hash.type=SHA256&hash.value=%25%25",
	} {
		p.h.Do(t, conformance.Call{Path: "/v3alpha/query" + bad}).Want(t, http.StatusBadRequest).Refused(t)
	}
}

func (p *packagesRows) queryArtifacts(t *testing.T) {
	named := objects(t, p.get(t, "/v3alpha/query?versionKey.system=NPM&versionKey.name=foo"), "results")[0]
	if _, there := named["artifacts"]; there {
		t.Errorf("a query by name tells artifacts: %v", named["artifacts"])
	}
	hashed := objects(t, p.get(t, queryPath("SHA256", digest("NPMfoo1.0.0"))), "results")[0]
	if got := conformance.Text(t, objects(t, hashed, "artifacts")[0], "url"); got != "https://registry.example/foo-1.0.0" {
		t.Errorf("artifact %q", got)
	}
}

func purlPath(purl string) string {
	return "/v3alpha/purl/" +
		strings.NewReplacer("%", "%25", ":", "%3A", "/", "%2F", "@", "%40", "?", "%3F", "#", "%23").Replace(purl)
}

func (p *packagesRows) purlLookup(t *testing.T) {
	conformance.Only(t, p.get(t, "/v3alpha/purl/pkg%3Anpm%2Ffoo"), "package")
	conformance.Only(t, p.get(t, "/v3alpha/purl/pkg%3Anpm%2Ffoo%401.0.0"), "version")
	p.h.Do(t, conformance.Call{Path: purlPath("pkg:npm/unknown@1.0.0")}).Want(t, http.StatusNotFound).Refused(t)
}

type purlBody struct {
	Requests []map[string]string `json:"requests"`
}

func (p *packagesRows) purlBatch(t *testing.T) {
	good := purlBody{Requests: []map[string]string{{"purl": "pkg:npm/foo@1.0.0"}, {"purl": "pkg:npm/unknown@1.0.0"}}}
	got := objects(t, p.post(t, "/v3alpha/purlbatch", good).Want(t, http.StatusOK).Object(t), "responses")
	if conformance.Text(t, got[0], "request", "purl") != "pkg:npm/foo@1.0.0" ||
		conformance.Text(t, got[0], "result", "version", "versionKey", "name") != "foo" {
		t.Errorf("response %v", got[0])
	}
	if _, there := got[1]["result"]; there {
		t.Errorf("an unknown purl has a result: %v", got[1])
	}
	p.post(t, "/v3alpha/purlbatch", purlBody{Requests: []map[string]string{{"purl": "pkg:npm/foo"}}}).Want(t,
		http.StatusBadRequest).Refused(t)
}

func (p *packagesRows) batchSystem(t *testing.T) {
	p.post(t, "/v3alpha/versionbatch", batchBody{Requests: []batchKey{key("NPM", "foo", "1.0.0")}}).Want(t,
		http.StatusOK)
	p.post(t, "/v3alpha/versionbatch", batchBody{Requests: []batchKey{key("DEBIAN", "foo", "1.0.0")}}).Want(t,
		http.StatusBadRequest).Refused(t)
}

func filled(n int) (batchBody, purlBody) {
	versions, purls := batchBody{}, purlBody{}
	for i := range n {
		version := fmt.Sprintf("1.%d.0", i)
		versions.Requests = append(versions.Requests, key("NPM", "many", version))
		purls.Requests = append(purls.Requests, map[string]string{"purl": "pkg:npm/many@" + version})
	}
	return versions, purls
}

func (p *packagesRows) batchLimit(t *testing.T) {
	versions, purls := filled(5000)
	p.post(t, "/v3alpha/versionbatch", versions).Want(t, http.StatusOK)
	p.post(t, "/v3alpha/purlbatch", purls).Want(t, http.StatusOK)
}

func (p *packagesRows) batchPages(t *testing.T) {
	body, _ := filled(1000)
	seen := map[string]int{}
	pages := 0
	for {
		got := p.post(t, "/v3alpha/versionbatch", body).Want(t, http.StatusOK).Object(t)
		pages++
		for _, r := range objects(t, got, "responses") {
			seen[conformance.Text(t, r, "request", "versionKey", "version")]++
			conformance.Sub(t, r, "version")
		}
		if body.PageToken = conformance.Text(t, got, "nextPageToken"); body.PageToken == "" {
			break
		}
		other := batchBody{Requests: body.Requests[1:], PageToken: body.PageToken}
		p.post(t, "/v3alpha/versionbatch", other).Want(t, http.StatusBadRequest).Refused(t)
	}
	if pages < 2 || len(seen) != 1000 {
		t.Errorf("%d pages cover %d requests, want several and 1000", pages, len(seen))
	}
	for version, n := range seen {
		if n != 1 {
			t.Errorf("%s came %d times", version, n)
		}
	}
	p.post(t, "/v3alpha/versionbatch", batchBody{Requests: body.Requests, PageToken: "made up"}).Want(t,
		http.StatusBadRequest)
}

func (p *packagesRows) queryLimit(t *testing.T) {
	if got := list(t, p.get(t, "/v3alpha/query?versionKey.system=NPM&versionKey.name=many"), "results"); len(got) != 1000 {
		t.Errorf("%d results of %d versions, want 1000", len(got), manyVersions)
	}
}

func (p *packagesRows) hashSystems(t *testing.T) {
	for system, known := range conformance.InOrder(lookup()) {
		got := list(t, p.get(t, queryPath("SHA256", digest(string(system)+known[0]+known[1]))), "results")
		if want := system != catalog.Go; (len(got) == 1) != want {
			t.Errorf("%s: %d results", system, len(got))
		}
	}
}

func (p *packagesRows) sharedArtifact(t *testing.T) {
	if got := list(t, p.get(t, queryPath("SHA256", digest("shared archive"))), "results"); len(got) != 2 {
		t.Errorf("%d results, want both versions", len(got))
	}
}

func (p *packagesRows) rawDigest(t *testing.T) {
	raw := digest("NPMfoo1.0.0")
	if got := list(t, p.get(t, queryPath("SHA256", raw)), "results"); len(got) != 1 {
		t.Errorf("raw digest: %d results, want 1", len(got))
	}
	if got := list(t, p.get(t, queryPath("SHA256", rawHex(raw))), "results"); len(got) != 0 {
		t.Errorf("digest of the hexadecimal text: %d results, want none", len(got))
	}
}

func (p *packagesRows) purlForms(t *testing.T) {
	for purl, want := range conformance.InOrder(map[string]struct{ member, key, system, name, version string }{
		"pkg:maven/org.x/y":     {"package", "packageKey", "MAVEN", "org.x:y", ""},
		"pkg:npm/foo":           {"package", "packageKey", "NPM", "foo", ""},
		"pkg:maven/org.x/y@1.0": {"version", "versionKey", "MAVEN", "org.x:y", "1.0"},
		"pkg:npm/foo@1.0.0":     {"version", "versionKey", "NPM", "foo", "1.0.0"},
	}) {
		answer := p.get(t, purlPath(purl))
		conformance.Only(t, answer, want.member)
		key := conformance.Sub(t, answer, want.member, want.key)
		if key["system"] != want.system || key["name"] != want.name {
			t.Errorf("%s: %v, want %s of %s", purl, key, want.name, want.system)
		}
		if got, _ := key["version"].(string); got != want.version {
			t.Errorf("%s: version %q, want %q", purl, got, want.version)
		}
	}
}

func (p *packagesRows) purlTypes(t *testing.T) {
	for purl, system := range conformance.InOrder(map[string]string{
		"pkg:cargo/serde_x": "CARGO", "pkg:gem/RedCloth": "RUBYGEMS", "pkg:golang/github.com/Upper/Mod": "GO",
		"pkg:golang/github.com/upper/mod": "GO", "pkg:maven/org.x/y": "MAVEN", "pkg:npm/foo": "NPM",
		"pkg:nuget/foo": "NUGET", "pkg:pypi/my-package": "PYPI",
	}) {
		if got := conformance.Text(t, p.get(t, purlPath(purl)), "package", "packageKey", "system"); got != system {
			t.Errorf("%s: system %q", purl, got)
		}
	}
	p.h.Do(t, conformance.Call{Path: purlPath("pkg:deb/debian/curl@7")}).Want(t, http.StatusBadRequest).Refused(t)
}

func (p *packagesRows) purlParts(t *testing.T) {
	for _, purl := range []string{"pkg:npm/foo@1.0.0?a=b", "pkg:npm/foo@1.0.0#sub"} {
		p.h.Do(t, conformance.Call{Path: purlPath(purl)}).Want(t, http.StatusBadRequest).Refused(t)
	}
}

func (p *packagesRows) purlEscapes(t *testing.T) {
	got := p.get(t, "/v3alpha/purl/pkg%3Anpm%2F%2540scope%2Fname%401.0.0")
	if conformance.Text(t, got, "version", "versionKey", "name") != "@scope/name" {
		t.Errorf("version %v", got["version"])
	}
}

func (p *packagesRows) batchTooLarge(t *testing.T) {
	versions, purls := filled(5001)
	p.post(t, "/v3alpha/versionbatch", versions).Want(t, http.StatusBadRequest).Refused(t)
	p.post(t, "/v3alpha/purlbatch", purls).Want(t, http.StatusBadRequest).Refused(t)
}

func (p *packagesRows) editions(t *testing.T) {
	p.get(t, pathOf("v3alpha", "NPM", "@scope/name", "1.0.0")+":requirements")
	for _, path := range []string{"/v3/query?versionKey.system=NPM&versionKey.name=foo", "/v3/purl/pkg%3Anpm%2Ffoo"} {
		p.h.Do(t, conformance.Call{Path: path}).Want(t, http.StatusNotFound)
	}
	for _, path := range []string{"/v3/versionbatch", "/v3/purlbatch"} {
		p.post(t, path, batchBody{}).Want(t, http.StatusNotFound)
	}
}

package packages_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	v3 "deps.dev/api/v3"
	v3alpha "deps.dev/api/v3alpha"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"stoa.dev/stoa/test/sdk/world"
)

// dump has one package of each ecosystem with every member set.
const dump = `{"format":"stoa packages","version":1,"packages":9}
{"key":{"system":"NPM","name":"@scope/full"},"tag":"1.0.0","versions":[{"key":{"version":"1.0.0"},"published":"2026-01-02T03:04:05.678901Z","complete":true,"licenses":[{"written":"MIT License","spdx":"MIT"}],"links":[{"label":"HOMEPAGE","url":"https://example.com"}],"attestations":[{"type":"https://slsa.dev/provenance/v1","url":"https://registry.example/a","repository":"https://github.com/a/b","commit":"c","verified":true}],"registries":["https://registry.example/"],"related":[{"project":"github.com/a/b","provenance":"SLSA_ATTESTATION","type":"SOURCE_REPO"}],"upstream":[{"name":"@scope/full","version":"1.0.0","source":"NPM_REGISTRY"}],"artifacts":[{"url":"https://registry.example/f.tgz","hashes":[{"type":"SHA1","digest":"AQEBAQEBAQEBAQEBAQEBAQEBAQE="}]}],"requires":{"npm":{"dependencies":{"dependencies":[{"name":"leaf","requirement":"^1.0.0"}],"devDependencies":[],"optionalDependencies":[],"peerDependencies":[],"bundleDependencies":["leaf"]},"bundled":[{"path":"node_modules/leaf","name":"leaf","version":"1.0.0","dependencies":{"dependencies":[],"devDependencies":[],"optionalDependencies":[],"peerDependencies":[],"bundleDependencies":[]}}]}}}]}
{"key":{"system":"NPM","name":"top"},"versions":[{"key":{"version":"1.0.0"},"complete":true,"requires":{"npm":{"dependencies":{"dependencies":[{"name":"leaf","requirement":"1.0.0"}]}}}}]}
{"key":{"system":"NPM","name":"leaf"},"versions":[{"key":{"version":"1.0.0"},"complete":true,"requires":{"npm":{"dependencies":{}}}},{"key":{"version":"1.1.0"},"complete":true,"deprecated":true,"requires":{"npm":{"dependencies":{}}}}]}
{"key":{"system":"MAVEN","name":"org.x:y"},"versions":[{"key":{"version":"1.0"},"complete":true,"requires":{"maven":{"parent":{"system":"MAVEN","name":"org.x:parent","version":"1"},"dependencies":[{"name":"org.x:z","version":"${v}","type":"jar","scope":"test","optional":"true","exclusions":["*:*"]}],"dependencyManagement":[],"properties":[{"name":"v","value":"1"}],"repositories":[{"id":"r","url":"https://r.example","layout":"default","releasesEnabled":"true","snapshotsEnabled":"false"}],"profiles":[{"id":"p","activation":{"activeByDefault":"true","jdk":{"jdk":"1.8"},"os":{"name":"Linux"},"property":{"property":{"name":"a","value":"b"}},"file":{"exists":"x"}},"properties":[{"name":"a","value":"b"}]}]}}}]}
{"key":{"system":"NUGET","name":"foo"},"versions":[{"key":{"version":"1.0.0"},"complete":true,"requires":{"nuget":{"dependencyGroups":[{"targetFramework":"net8.0","dependencies":[{"name":"bar","requirement":"[1.0.0, )"}]}]}}}]}
{"key":{"system":"RUBYGEMS","name":"rake"},"versions":[{"key":{"version":"13.0.0"},"complete":true,"requires":{"rubygems":{"runtimeDependencies":[{"name":"x","requirement":">= 0"}],"devDependencies":[]}}}]}
{"key":{"system":"GO","name":"github.com/Upper/Mod"},"versions":[{"key":{"version":"v1.0.0"},"complete":true,"related":[{"project":"github.com/upper/mod","provenance":"GO_ORIGIN","type":"SOURCE_REPO"}]}]}
{"key":{"system":"CARGO","name":"serde_x"},"versions":[{"key":{"version":"1.0.0"},"complete":true,"requires":{"cargo":{"dependencies":[]}}}]}
{"key":{"system":"PYPI","name":"my-package"},"versions":[{"key":{"version":"1.0"},"complete":true,"attestations":[{"type":"https://docs.registry.example/attestations/publish/v1","url":"https://registry.example/p"}],"requires":{"pypi":{"dependencies":[],"requiredPythonVersion":">=3.8"}}}]}
`

const advisory = `{"id":"OSV-1","modified":"2026-01-01T00:00:00Z","summary":"a flaw","aliases":["CVE-1"],"severity":[{"type":"CVSS_V3","score":"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}],"references":[{"type":"ADVISORY","url":"https://example.com/OSV-1"}],"affected":[{"package":{"ecosystem":"npm","name":"leaf"},"versions":["1.0.0"]}]}`

// start serves a data folder with the dump in it.
func start(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "dump.jsonl"), dump)
	write(t, filepath.Join(dir, "osv.json"), advisory)
	s := world.Serve(t, world.Options{Env: []string{"STOA_PACKAGES_OFFLINE=true"}})
	s.Command(t, "packages", "import", filepath.Join(dir, "dump.jsonl"))
	s.Command(t, "packages", "advisories", "import", filepath.Join(dir, "osv.json"))
	return s.URL
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// call fetches an answer and reads it into a message; members the message
// does not have are an error.
func call(t *testing.T, method, address string, body any, into proto.Message) {
	t.Helper()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, content)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s %v", address, res.Status, text, err)
	}
	if err := (protojson.UnmarshalOptions{}).Unmarshal(text, into); err != nil {
		t.Errorf("%s: %v\n%s", address, err, text)
	}
	if proto.Size(into) == 0 {
		t.Errorf("%s: the message is empty: %s", address, text)
	}
}

// known is one version of each ecosystem.
func known() map[string][2]string {
	return map[string][2]string{
		"NPM": {"@scope/full", "1.0.0"}, "MAVEN": {"org.x:y", "1.0"}, "NUGET": {"foo", "1.0.0"},
		"RUBYGEMS": {"rake", "13.0.0"},
		"GO":       {"github.com/Upper/Mod", "v1.0.0"}, "CARGO": {"serde_x", "1.0.0"}, "PYPI": {"my-package", "1.0.0"},
	}
}

// TestStrictDecoding reads every answer into the public types.
func TestStrictDecoding(t *testing.T) {
	at := start(t)
	t.Run("look-ups by key", func(t *testing.T) { checkKeys(t, at) })
	t.Run("searches", func(t *testing.T) { checkSearches(t, at) })
}

func checkKeys(t *testing.T, at string) {
	t.Helper()
	for system, k := range known() {
		path := fmt.Sprintf("/systems/%s/packages/%s", system, url.PathEscape(k[0]))
		version := path + "/versions/" + url.PathEscape(k[1])
		call(t, "GET", at+"/v3"+path, nil, &v3.Package{})
		call(t, "GET", at+"/v3alpha"+path, nil, &v3alpha.Package{})
		call(t, "GET", at+"/v3"+version, nil, &v3.Version{})
		call(t, "GET", at+"/v3alpha"+version, nil, &v3alpha.Version{})
		switch system {
		case "NPM", "MAVEN", "NUGET", "RUBYGEMS":
			call(t, "GET", at+"/v3"+version+":requirements", nil, &v3.Requirements{})
			call(t, "GET", at+"/v3alpha"+version+":requirements", nil, &v3alpha.Requirements{})
		}
		switch system {
		case "NPM", "MAVEN", "CARGO", "PYPI":
			call(t, "GET", at+"/v3"+version+":dependencies", nil, &v3.Dependencies{})
			call(t, "GET", at+"/v3alpha"+version+":dependencies", nil, &v3alpha.Dependencies{})
		}
	}
	project := "/projects/" + url.PathEscape("github.com/a/b")
	call(t, "GET", at+"/v3"+project, nil, &v3.Project{})
	call(t, "GET", at+"/v3alpha"+project, nil, &v3alpha.Project{})
	call(t, "GET", at+"/v3"+project+":packageversions", nil, &v3.ProjectPackageVersions{})
	call(t, "GET", at+"/v3/advisories/CVE-1", nil, &v3.Advisory{})
	call(t, "GET", at+"/v3alpha/advisories/OSV-1", nil, &v3alpha.Advisory{})
	leaf := "/v3alpha/systems/npm/packages/leaf"
	call(t, "GET", at+leaf+":similarlyNamedPackages", nil, &v3alpha.SimilarlyNamedPackages{})
	call(t, "GET", at+"/v3/systems/npm/packages/top/versions/1.0.0:dependencies", nil, &v3.Dependencies{})
	dependents := &v3alpha.Dependents{}
	call(t, "GET", at+leaf+"/versions/1.0.0:dependents", nil, dependents)
	if dependents.GetDirectDependentCount() != 1 {
		t.Errorf("dependents %v, want the one whose graph was resolved", dependents)
	}
}

// checkSearches reads the answers of look-ups that are not by key.
func checkSearches(t *testing.T, at string) {
	t.Helper()
	for _, query := range []string{
		"versionKey.system=NPM&versionKey.name=leaf",
		"hash.type=SHA1&hash.value=" + url.QueryEscape("AQEBAQEBAQEBAQEBAQEBAQEBAQE="),
	} {
		call(t, "GET", at+"/v3alpha/query?"+query, nil, &v3alpha.QueryResult{})
	}
	for _, purl := range []string{"pkg:npm/leaf", "pkg:npm/%40scope/full@1.0.0"} {
		call(t, "GET", at+"/v3alpha/purl/"+url.PathEscape(purl), nil, &v3alpha.PurlLookupResult{})
	}
	requests, purls := []any{}, []any{}
	for system, k := range known() {
		requests = append(requests, map[string]any{
			"versionKey": map[string]string{"system": system, "name": k[0], "version": k[1]},
		})
	}
	for _, p := range []string{"pkg:npm/leaf@1.0.0", "pkg:npm/unknown@1.0.0"} {
		purls = append(purls, map[string]string{"purl": p})
	}
	versions := &v3alpha.VersionBatch{}
	call(t, "POST", at+"/v3alpha/versionbatch", map[string]any{"requests": requests}, versions)
	if len(versions.GetResponses()) != len(requests) || versions.GetNextPageToken() != "" {
		t.Errorf("batch %v", versions)
	}
	found := &v3alpha.PurlLookupBatchResult{}
	call(t, "POST", at+"/v3alpha/purlbatch", map[string]any{"requests": purls}, found)
	if len(found.GetResponses()) != 2 || found.GetResponses()[0].GetResult().GetVersion() == nil ||
		found.GetResponses()[1].GetResult() != nil {
		t.Errorf("purl batch %v", found)
	}
}

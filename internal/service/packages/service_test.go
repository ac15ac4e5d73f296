package packages_test

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/packages"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// both runs a test on a stocked server with each database.
func both(t *testing.T, fn func(t *testing.T, h *identitytest.Server, s *packages.Service), more ...catalog.Package) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		h, s := stocked(t, "", more...)
		fn(t, h, s)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		h, s := stocked(t, databasetest.PostgresURL(t), more...)
		fn(t, h, s)
	})
}

// run runs one of the service's commands.
func run(t *testing.T, h *identitytest.Server, path string, files ...string) (map[string]any, error) {
	t.Helper()
	for _, c := range h.Module.Commands {
		if c.Path != path {
			continue
		}
		values := map[string][]string{}
		for len(files) > 0 && strings.HasPrefix(files[0], "--") {
			values[strings.TrimPrefix(files[0], "--")] = []string{"true"}
			files = files[1:]
		}
		values["file"] = files
		got, err := c.Run(t.Context(), &module.Input{Values: values, Progress: func(module.Progress) {}})
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]any{}
		return out, json.Unmarshal(text, &out)
	}
	t.Fatalf("there is no command %q", path)
	return nil, nil
}

func flawed(versions ...string) catalog.Package {
	p := catalog.Package{Key: catalog.PackageKey{System: catalog.PyPI, Name: "flawed"}}
	for _, v := range versions {
		p.Versions = append(p.Versions, catalog.Version{
			Key: p.Key.At(v), Complete: true, Published: time.Date(2026, 1, 1, 0, 0, 0, 5000, time.UTC),
		})
	}
	return p
}

const osv = `{"id":"PYSEC-1","modified":"%s","summary":"a flaw","aliases":["CVE-1"],"affected":[{"package":{"ecosystem":"PyPI","name":"Flawed"},
	"ranges":[{"type":"ECOSYSTEM","events":[{"introduced":"1.1"},{"fixed":"%s"}]}],"versions":["0.5"]}]}`

func TestAdvisories(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *identitytest.Server, s *packages.Service) {
		affected := func() string {
			var ids []string
			for _, v := range []string{"0.5.0", "1.0.0", "1.1.0", "1.5.0", "2.0.0"} {
				if strings.Contains(h.Call("GET", "/v3/systems/pypi/packages/flawed/versions/"+v, "").Body.String(), `"PYSEC-1"`) {
					ids = append(ids, v)
				}
			}
			return strings.Join(ids, " ")
		}
		if got := affected(); got != "" {
			t.Errorf("before any advisory: %q", got)
		}
		file := filepath.Join(t.TempDir(), "one.json")
		for _, step := range []struct{ modified, fixed, want string }{
			{"2026-01-01", "2.0", "0.5.0 1.1.0 1.5.0"}, {"2026-01-01", "9.0", "0.5.0 1.1.0 1.5.0"}, {
				"2026-01-02", "1.2", "0.5.0 1.1.0",
			},
		} {
			write(t, file, fmt.Sprintf(osv, step.modified, step.fixed))
			if _, err := run(t, h, "packages advisories import", file); err != nil {
				t.Fatal(err)
			}
			if got := affected(); got != step.want {
				t.Errorf("fixed in %s: affected %q, want %q", step.fixed, got, step.want)
			}
		}
		// A package that comes later is marked as well.
		if err := s.Put(t.Context(), flawed("1.1.5")); err != nil {
			t.Fatal(err)
		}
		if body := h.Call("GET", "/v3/systems/pypi/packages/flawed/versions/1.1.5", "").Body.String(); !strings.Contains(body, "PYSEC-1") {
			t.Errorf("a new version is not marked: %s", body)
		}
		for _, id := range []string{"PYSEC-1", "CVE-1"} {
			if w := h.Call("GET", "/v3/advisories/"+id, ""); w.Code != 200 ||
				!strings.Contains(w.Body.String(), `"title":"a flaw"`) {
				t.Errorf("advisory %s: %d %s", id, w.Code, w.Body)
			}
		}
	}, flawed("0.5.0", "1.0.0", "1.1.0", "1.5.0", "2.0.0"))
}

// TestAdvisoriesThatShareAnAlias: an older record does not undo a newer one,
// and an alias stays as long as one of its advisories.
func TestAdvisoriesThatShareAnAlias(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *identitytest.Server, _ *packages.Service) {
		file := filepath.Join(t.TempDir(), "one.json")
		record := func(id, modified, more string) {
			t.Helper()
			write(t, file,
				fmt.Sprintf(`{"id":%q,"modified":%q,"summary":%q%s}`, id, modified, id+" of "+modified, more))
			if _, err := run(t, h, "packages advisories import", file); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(id, want string) {
			t.Helper()
			if w := h.Call("GET", "/v3/advisories/"+id, ""); w.Code != 200 ||
				!strings.Contains(w.Body.String(), fmt.Sprintf(`"title":%q`, want)) {
				t.Errorf("advisory %s: %d %s, want %s", id, w.Code, w.Body, want)
			}
		}
		record("GHSA-1", "2026-02-01T00:00:00Z", `,"aliases":["CVE-7"]`)
		record("PYSEC-7", "2026-02-01T00:00:00Z", `,"aliases":["CVE-7"]`)
		record("GHSA-1", "2026-01-01T00:00:00Z", `,"aliases":["CVE-8"]`)
		expect("GHSA-1", "GHSA-1 of 2026-02-01T00:00:00Z")
		expect("CVE-7", "GHSA-1 of 2026-02-01T00:00:00Z")
		record("GHSA-1", "2026-03-01T00:00:00Z", "")
		expect("CVE-7", "PYSEC-7 of 2026-02-01T00:00:00Z")
	})
}

func TestAdvisoryArchive(t *testing.T) {
	t.Parallel()
	h, _ := stocked(t, "", flawed("1.1.0"))
	name := filepath.Join(t.TempDir(), "all.zip")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for file, text := range map[string]string{"PYSEC-1.json": fmt.Sprintf(osv, "1", "2.0"), "README.md": "no record"} {
		part, err := w.Create(file)
		if err == nil {
			_, err = part.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	got, err := run(t, h, "packages advisories import", name)
	if err != nil || !strings.Contains(fmt.Sprint(got), "changed:1") {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestExportAndImport(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *identitytest.Server, _ *packages.Service) {
		for _, name := range []string{"dump.jsonl", "dump.jsonl.gz"} {
			file := filepath.Join(t.TempDir(), name)
			if _, err := run(t, h, "packages export", file); err != nil {
				t.Fatal(err)
			}
			other, _ := stocked(t, "")
			for range 2 {
				if got, err := run(t, other, "packages import", file); err != nil ||
					!strings.Contains(fmt.Sprint(got), "packages:4") {
					t.Errorf("import %v, %v", got, err)
				}
			}
			const path = "/v3alpha/systems/pypi/packages/flawed"
			for _, at := range []string{path, path + "/versions/1.0.0"} {
				if got, want := other.Call("GET", at, "").Body.String(), h.Call("GET", at, "").Body.String(); got != want {
					t.Errorf("%s after the import:\n%s\nwant\n%s", at, got, want)
				}
			}
		}
	}, flawed("1.0.0", "2.0.0"))
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	h, _ := stocked(t, "")
	for name, text := range map[string]string{
		"another version":                `{"format":"stoa packages","version":99,"packages":0}` + "\n",
		"a broken line":                  `{"format":"stoa packages","version":1,"packages":1}` + "\n{\n",
		"a wrong hash":                   `{"format":"stoa packages","version":1,"packages":1}` + "\n" + `{"key":{"system":"NPM","name":"x"},"versions":[{"key":{"version":"1"},"artifacts":[{"url":"u","hashes":[{"type":"SHA256","digest":"AAAA"}]}]}]}` + "\n",
		"no known format":                "hello",
		"a head without end":             `{"format":"stoa packages` + strings.Repeat(" ", 1<<16) + `","version":1,"packages":0}` + "\n",
		"an end too soon":                `{"format":"stoa packages","version":1,"packages":2}` + "\n" + `{"key":{"system":"NPM","name":"x"},"versions":[{"key":{"version":"1.0.0"}}]}` + "\n",
		"a way through folders":          `{"format":"stoa packages","version":1,"packages":1}` + "\n" + `{"key":{"system":"NPM","name":"../x"}}` + "\n",
		"requirements of another system": `{"format":"stoa packages","version":1,"packages":1}` + "\n" + `{"key":{"system":"NPM","name":"x"},"versions":[{"key":{"version":"1.0.0"},"requires":{"maven":{}}}]}` + "\n",
		"an unknown relation":            `{"format":"stoa packages","version":1,"packages":1}` + "\n" + `{"key":{"system":"NPM","name":"x"},"versions":[{"key":{"version":"1.0.0"},"related":[{"project":"github.com/a/b","provenance":"HEARSAY","type":"SOURCE_REPO"}]}]}` + "\n",
		"no project":                     `{"format":"stoa packages","version":1,"packages":1}` + "\n" + `{"key":{"system":"NPM","name":"x"},"versions":[{"key":{"version":"1.0.0"},"related":[{"project":"nowhere","provenance":"GO_ORIGIN","type":"SOURCE_REPO"}]}]}` + "\n",
		"an unknown system":              `{"format":"stoa packages","version":1,"packages":1}` + "\n" + `{"key":{"system":"DEB","name":"x"}}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "f.bin")
			write(t, file, text)
			if got, err := run(t, h, "packages import", "--strict", file); err == nil {
				t.Errorf("accepted: %v", got)
			}
		})
	}
}

func TestSourcesShowsWhatWasFound(t *testing.T) {
	t.Parallel()
	f := newRegistry(t)
	h := identitytest.SQLite(t, pulling(f, func(c *packages.Config) {
		at := []string{f.URL}
		c.Registries = packages.RegistriesConfig{
			Go: at, NPM: at, Cargo: at, Maven: at, PyPI: at, NuGet: []string{"http://127.0.0.1:1"}, RubyGems: at,
		}
	}))
	got, err := run(t, h, "packages sources")
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := got["sources"].([]any)
	if len(lines) != 7 {
		t.Fatalf("%d lines, want one for each system: %v", len(lines), lines)
	}
	for _, l := range lines {
		line, _ := l.(map[string]any)
		if answers := line["system"] != "NUGET"; line["answers"] != answers ||
			line["from"] != "the configuration of Stoa" {
			t.Errorf("line %v, want answers %v", line, answers)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

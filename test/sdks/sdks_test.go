package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func sample() evidence {
	return evidence{
		folder:  "tasks",
		clients: []client{{"go", "example.org/api", "v1.2.3"}, {"npm", "@example/tasks", "13.0.0"}},
		driven: []driven{
			{"go", "tasks", "tasks.list", "2xx"},
			{"go", "tasks", "tasks.list", "4xx"},
			{"npm", "tasks", "tasks.list", "2xx"},
			{"go", "tasks", "tasks.get", "2xx"},
		},
		passed: []string{"Client: lists"}, skipped: []string{"Later"},
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	text := page([]evidence{sample()}, []string{"tasks", "labels"})
	for _, want := range []string{
		"- `@example/tasks` 13.0.0 (npm)", "| tasks | `tasks.get` | 2xx |  |", "| tasks | `tasks.list` | 2xx, 4xx | 2xx |",
		"- Client: lists", "- not run here: Later", "No client drives labels here",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

func TestDrop(t *testing.T) {
	t.Parallel()
	before, less := page([]evidence{sample()}, nil), sample()
	if lost := dropped(before, before); len(lost) != 0 {
		t.Errorf("the same page lost %v", lost)
	}
	less.driven = less.driven[:2]
	if lost := dropped(before, page([]evidence{less}, nil)); len(lost) != 2 {
		t.Errorf("lost %v, want tasks.get by Go and tasks.list by npm", lost)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	passed, skipped := tests([]byte(`{"Action":"pass","Test":"TestA/reads_every_feed"}
{"Action":"pass","Test":"TestA"}
{"Action":"skip","Test":"TestB"}
`))
	if strings.Join(passed, "|") != "A: reads every feed" || strings.Join(skipped, "|") != "B" {
		t.Errorf("passed %q, skipped %q", passed, skipped)
	}
}

func TestPythonColumn(t *testing.T) {
	t.Parallel()
	e := sample()
	e.clients = append(e.clients, client{"python", "tasks-client", "1.0"})
	e.driven = append(e.driven, driven{"python", "tasks", "tasks.get", "4xx"})
	text := page([]evidence{e}, nil)
	for _, want := range []string{
		"- `tasks-client` 1.0 (python)", "| service | operation | Go | npm | Python |",
		"| tasks | `tasks.get` | 2xx |  | 4xx |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if lost := dropped(text, page([]evidence{sample()}, nil)); !slices.Equal(lost, []string{"tasks `tasks.get` Python"}) {
		t.Errorf("lost %q, want what Python drove", lost)
	}
	if lost := dropped(page([]evidence{sample()}, nil), text); len(lost) != 0 {
		t.Errorf("a page with one more kind of client lost %q", lost)
	}
}

// write makes a folder of tests with these files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestManifests(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"go.mod":                        "module x\n\nrequire example.org/api v1.2.3\n",
		"npm/package.json":              `{"dependencies":{"@example/tasks":"13.0.0"}}`,
		"python/tasks/requirements.txt": "tasks-client==1.0\nurllib3==2.8.0 # indirect\n",
		"python/older/requirements.txt": "# the one before\n\ntasks_old==0.9\n",
	})
	got, err := clients(dir)
	want := []client{
		{"go", "example.org/api", "v1.2.3"}, {"npm", "@example/tasks", "13.0.0"}, {"python", "tasks-client", "1.0"},
		{"python", "tasks_old", "0.9"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("clients are %v, %v; want %v", got, err, want)
	}

	loose := write(t, map[string]string{"go.mod": "module x\n", "python/tasks/requirements.txt": "tasks-client>=1.0\n"})
	if _, err := clients(loose); err == nil || !strings.Contains(err.Error(), `"tasks-client>=1.0"`) {
		t.Errorf("a version that is not pinned gave %v", err)
	}
}

func TestMissingPrograms(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"npm/package.json": "{}", "python/tasks/requirements.txt": ""})
	absent := func(name string) (string, error) { return "", os.ErrNotExist }
	err := installed([]string{dir}, absent)
	for _, want := range []string{"node", "npm", "python3"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the message %q does not name %s", err, want)
		}
	}
	if err := installed([]string{write(t, map[string]string{"go.mod": ""})}, absent); err != nil {
		t.Errorf("a folder with Go alone asks for %v", err)
	}
}

func TestOneSection(t *testing.T) {
	t.Parallel()
	first, second := sample(), sample()
	second.folder = "labels"
	before := page([]evidence{second, first}, nil)
	second.passed = []string{"Client: reads"}
	if got, want := replaced(before, second), page([]evidence{second, first}, nil); got != want {
		t.Errorf("replaced gave\n%s\nwant\n%s", got, want)
	}
	for _, folder := range []string{"calendar", "snapshots", "videos"} {
		added := sample()
		added.folder = folder
		first.folder, second.folder = "labels", "tasks"
		without := page([]evidence{first, second}, []string{"apikeys"})
		all := []evidence{first, second, added}
		slices.SortFunc(all, func(a, b evidence) int { return strings.Compare(a.folder, b.folder) })
		if got, want := replaced(without, added), page(all, []string{"apikeys"}); got != want {
			t.Errorf("%s was added as\n%s\nwant\n%s", folder, got, want)
		}
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	e := sample()
	broken := finding{Rule: "tasks.poll", Severity: "error", Service: "tasks"}
	e.conduct = []conduct{{Test: "TestClient", Findings: []finding{broken}}}
	if err := e.explained(); err == nil || !strings.Contains(err.Error(), "breaks tasks.poll") {
		t.Errorf("a finding without a reason gave %v", err)
	}
	dir := write(t, map[string]string{"conduct.tsv": "tasks.poll\tIt asks twice on purpose.\n"})
	var err error
	if e.reasons, err = reasons(dir); err != nil || e.explained() != nil {
		t.Errorf("a finding with a reason gave %v, %v", err, e.explained())
	}
	if text := page([]evidence{e}, nil); !strings.Contains(text, "| Client | It asks twice on purpose. |") {
		t.Errorf("the page lacks the reason:\n%s", text)
	}
	e.conduct = nil
	if err := e.explained(); err == nil {
		t.Error("a reason for nothing was accepted")
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	names, err := models(write(t, map[string]string{"models.txt": "small\nlarge\n"}))
	if err != nil || !slices.Equal(names, []string{"small", "large"}) {
		t.Errorf("models.txt gave %v, %v", names, err)
	}
	if names, err := models(t.TempDir()); err != nil || len(names) != 0 {
		t.Errorf("a folder without models.txt gave %v, %v", names, err)
	}
	e := sample()
	e.models = []modelEvidence{{name: "small", passed: []string{"Client: talks"}}}
	if text := page([]evidence{e}, nil); !strings.Contains(text, "stoa models pull small`:\n\n- Client: talks\n") {
		t.Errorf("the page lacks the model:\n%s", text)
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"go.mod": "module x\n\ntool example.org/program/cmd/p\n\nrequire (\n\texample.org/program v2.0.0 // indirect\n" +
			"\texample.org/other v1.0.0 // indirect\n)\n",
	})
	if got, err := goClients(dir); err != nil || !slices.Equal(got, []client{{"go", "example.org/program", "v2.0.0"}}) {
		t.Errorf("clients are %v, %v", got, err)
	}
}

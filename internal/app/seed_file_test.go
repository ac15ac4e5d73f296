package app_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	seedfile "stoa.dev/stoa/internal/platform/seed"
)

var update = flag.Bool("update", false, "write docs/world.schema.json anew")

// The schema that editors read is that of the types.
func TestSeedSchema(t *testing.T) {
	t.Parallel()
	const file = "../../docs/world.schema.json"
	want, err := app.SeedSchema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the types say (%v): go test ./internal/app -run TestSeedSchema -update", file, err)
	}
	var schema struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(want, &schema); err != nil {
		t.Fatal(err)
	}
	for _, section := range []string{
		"users", "organizations", "teams", "clients", "calendars", "taskLists", "articles", "repositories", "metrics",
		"places", "packages",
	} {
		if schema.Properties[section] == nil {
			t.Errorf("the schema has no section %s", section)
		}
	}
}

func writeSeed(t *testing.T, a *app.App) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "world.yaml")
	if _, err := a.RunCommand(t.Context(), "seed write", map[string][]string{"file": {file}}, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func applySeed(t *testing.T, a *app.App, dir, text string) (seedfile.Applied, error) {
	t.Helper()
	file := filepath.Join(dir, "world.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := a.RunCommand(t.Context(), "seed apply", map[string][]string{"file": {file}}, nil)
	applied, _ := done.(seedfile.Applied)
	return applied, err
}

// What is written of one world makes another that is written the same.
func TestSeedRoundTrip(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, onEngine func() app.Config) {
		text := writeSeed(t, start(t, onEngine(), true))
		for _, section := range []string{
			"users", "organizations", "teams", "clients", "calendars", "taskLists", "articles", "repositories", "metrics",
			"places", "packages",
		} {
			if !strings.Contains(text, "\n"+section+":\n") {
				t.Errorf("the demo is written without %s:\n%s", section, text)
			}
		}
		copied := start(t, onEngine(), false)
		if _, err := applySeed(t, copied, t.TempDir(), text); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if again := writeSeed(t, copied); again != text {
			t.Errorf("written again:\n%s\nwant\n%s", again, text)
		}
	})
}

const seedText = `users:
- {name: mary, password: correct horse battery, tokens: [{variable: MARY_TOKEN}]}
clients:
- {name: TV, type: device, owner: mary, variable: TV}
repositories:
- {owner: mary, name: site, folder: site}
packages:
- {system: NPM, name: left, versions: [{version: 1.0.0, requires: {right: ^1.0.0}}]}
taskLists:
- user: mary
  title: Opening
  tasks:
  - {title: Sweep, tasks: [{title: The steps}]}
articles:
- {author: mary, title: Draft, body: Not yet., private: true, tags: [{name: Stone}]}
metrics:
- {user: mary, metric: site.visits, type: gauge, values: [1, 2, 3]}
calendars:
- user: mary
  primary: true
  events:
  - {summary: Tour, start: {dateTime: "2026-03-01T09:00:00Z"}, end: {dateTime: "2026-03-01T10:00:00Z"}}
`

func TestSeedApply(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, onEngine func() app.Config) { testSeedApply(t, start(t, onEngine(), false)) })
}

func testSeedApply(t *testing.T, a *app.App) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "site", "img"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "site", "img", "a.bin"), []byte{0xff, 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	applied, err := applySeed(t, a, dir, seedText)
	if err != nil {
		t.Fatal(err)
	}
	if applied.Env["MARY_TOKEN"] == "" || applied.Env["TV_ID"] == "" || applied.Sections["metrics"] != 1 {
		t.Errorf("applied %+v", applied)
	}
	status, body := get(t, a.URL()+"/tasks/v1/users/@me/lists", applied.Env["MARY_TOKEN"])
	if status != 200 || !strings.Contains(body, "Opening") {
		t.Errorf("the lists are %d %s", status, body)
	}
	text := writeSeed(t, a)
	if !strings.Contains(text, "img/a.bin: /wA=") && !strings.Contains(text, `img/a.bin: "/wA="`) {
		t.Errorf("the repository has no img/a.bin:\n%s", text)
	}
	if !strings.Contains(text, "right: ^1.0.0") && !strings.Contains(text, `right: "^1.0.0"`) {
		t.Errorf("the requirement of the package is not written:\n%s", text)
	}
	if !strings.Contains(text, "title: Draft") {
		t.Errorf("the private article is not written:\n%s", text)
	}
	for text, want := range map[string]string{
		"taskLists:\n- user: marie\n":                                           "world.yaml:2:9: taskLists[0].user: ",
		"users:\n- {name: mary}\n":                                              "world.yaml:2:3: users[0]: ",
		"repositories:\n- {owner: mary, name: x, folder: ../up}\n":              "repositories[0].folder: ",
		"packages:\n- {system: GO, name: x.y/z, versions: [{version: \"\"}]}\n": "packages[0].versions[0]",
		"calendars:\n- user: mary\n  events:\n  - start: {}\n    end: {}\n":     "world.yaml:2:3: calendars[0]: ",
	} {
		if _, err := applySeed(t, a, dir, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// onBothEngines runs a test with configurations of databases that nothing else uses.
func onBothEngines(t *testing.T, run func(t *testing.T, onEngine func() app.Config)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			run(t, func() app.Config {
				c := config(t)
				if engine == "postgres" {
					c.Database.URL = databasetest.PostgresURL(t)
				}
				return c
			})
		})
	}
}

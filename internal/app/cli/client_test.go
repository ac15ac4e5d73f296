package cli_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app"
)

// The table names services that exist, and every service answers in every
// language.
func TestEnvOfEveryService(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "d")
	data := "--data=" + folder
	seeded := object(t, run(t, "", "seed", "demo", "--json", data))
	if seeded["name"] == "" || seeded["env"] != filepath.Join(folder, "demo.env") {
		t.Errorf("seeded = %v", seeded)
	}
	report := object(t, run(t, "", "doctor", "--json", data))
	if findings, _ := report["findings"].([]any); len(findings) < 5 {
		t.Errorf("report = %v, want at least five findings", report)
	}
	t.Run("assignments", func(t *testing.T) { testAssignments(t, data) })
	for _, m := range app.Services() {
		for _, sdk := range []string{"shell", "go", "node", "python"} {
			t.Run(m.Name+" "+sdk, func(t *testing.T) {
				out := object(t, run(t, "", "env", m.Name, "--sdk", sdk, "--json", data))
				variables, _ := out["variables"].(map[string]any)
				if want := m.Example.Credential; want != "" && want != "STOA_URL" && variables[want] == nil {
					t.Errorf("variables = %v, want %s", variables, want)
				}
				if sdk == "shell" && out["example"] != m.Example.Shell {
					t.Errorf("example = %v, want the module's", out["example"])
				}
			})
		}
	}
}

func testAssignments(t *testing.T, data string) {
	t.Helper()
	r := run(t, "", "env", "snapshots", "--sdk", "go", data)
	if r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	line := regexp.MustCompile(`^(export [A-Z_]+='[^']*'|# [a-z]+: .+)$`)
	for got := range strings.Lines(r.stdout) {
		if !line.MatchString(strings.TrimSuffix(got, "\n")) {
			t.Errorf("line %q is neither an assignment nor a comment", got)
		}
	}
	if !strings.Contains(r.stdout, "export DD_API_KEY='") {
		t.Errorf("output %q lacks the client's own variable", r.stdout)
	}
}

func TestEnvRefuses(t *testing.T) {
	t.Parallel()
	empty := "--data=" + t.TempDir()
	for _, row := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"unknown service", []string{"env", "weather", empty}, 3, "there is no service"},
		{"unknown language", []string{"env", "tasks", "--sdk", "cobol", empty}, 2, "not one of"},
		{"a language of no service", []string{"env", "--sdk", "node", empty}, 2, "--sdk needs SERVICE"},
		{"nothing to describe", []string{"env", "tasks", empty}, 3, "no demo world"},
		{"nothing to list", []string{"env", empty}, 3, "no demo world"},
		{"stop without a server", []string{"stop", empty}, 3, "no server runs"},
		{"status without a server", []string{"status", empty}, 3, "no server runs"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if r := run(t, "", row.args...); r.code != row.code || !strings.Contains(r.stderr, row.want) {
				t.Errorf("exit %d %q, want %d and %q", r.code, r.stderr, row.code, row.want)
			}
		})
	}
}

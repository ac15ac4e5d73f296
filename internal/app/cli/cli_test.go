package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/cli"
)

// result is what one run of the program left behind.
type result struct {
	code           int
	stdout, stderr string
}

// demos is a cache of demo worlds for the tests that run exec and ask nothing about
// where its world came from: one seeds it, the others copy. TestExecKeepsTheDemo has
// a cache of its own.
var demos string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "stoa-")
	if err != nil {
		panic(err)
	}
	demos = dir
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		panic(err)
	}
	os.Exit(code)
}

func run(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := cli.Program{
		Args: args, Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Version: "v0.0.0-test",
		Environ: []string{"STOA_LISTEN_HTTP=127.0.0.1:0", "XDG_CACHE_HOME=" + demos},
	}
	return result{p.Main(t.Context()), stdout.String(), stderr.String()}
}

func object(t *testing.T, r result) map[string]any {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &out); err != nil {
		t.Fatalf("not one JSON object: %q", r.stdout)
	}
	return out
}

func TestCommandsWithoutAServer(t *testing.T) {
	t.Parallel()
	data := "--data=" + t.TempDir()

	user := object(t, run(t, "", "user", "add", "ada", "--admin", "--json", data))
	if user["name"] != "ada" || user["password"] == "" {
		t.Errorf("user = %v, want name and password", user)
	}
	token := object(t, run(t, "", "token", "issue", "--user", "ada", "--service", "labels", "--json", data))
	if token["token"] == "" || token["id"] == nil {
		t.Errorf("token = %v, want token and id", token)
	}
	if r := run(t, "", "user", "list", data); !strings.Contains(r.stdout, "NAME") || !strings.Contains(r.stdout, "ada") {
		t.Errorf("list = %q, want a table with ada", r.stdout)
	}
	if r := run(t, "", "token", "issue", "--user", "ada", "--service", "labels", data); r.code != 0 ||
		len(strings.Fields(r.stdout)) != 1 || strings.Count(r.stdout, "\n") != 1 {
		t.Errorf("in a pipe: %d %q, want the token alone", r.code, r.stdout)
	}
	if r := run(t, "", "token", "issue", "--user", "ada", "--service", "task", data); r.code == 0 ||
		!strings.Contains(r.stderr, "did you mean tasks?") {
		t.Errorf("a misspelt service: exit %d %q, want the nearest", r.code, r.stderr)
	}
	if r := run(t, "", "stop", data); r.code != 3 || !strings.Contains(r.stderr, "nothing was stopped") {
		t.Errorf("stop nothing: exit %d %q, want 3", r.code, r.stderr)
	}
	if r := run(t, "", "user", "add", "ada", data); r.code != 4 || !strings.Contains(r.stderr, "ada") {
		t.Errorf("second ada: exit %d %q, want 4", r.code, r.stderr)
	}
	if r := run(t, "no/repo\n", "repo", "delete", "no/repo", data); r.code != 3 || strings.Contains(r.stderr, "Type") {
		t.Errorf("delete nothing: exit %d %q, want 3 before a question", r.code, r.stderr)
	}
	for _, args := range [][]string{
		{"__completeNoDesc", "env", ""}, {"__completeNoDesc", "token", "issue", "--service", ""},
	} {
		if r := run(t, "", args...); !strings.Contains(r.stdout, "kms\n") || !strings.HasSuffix(r.stdout, ":4\n") {
			t.Errorf("%q: %q, want the services and no files", args, r.stdout)
		}
	}
	for _, text := range []string{"taskLists: 7\n", "unknown: []\n"} {
		file := filepath.Join(t.TempDir(), "world.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := run(t, "", "seed", "apply", file, data); r.code != 2 || !strings.Contains(r.stderr, "nothing was added") {
			t.Errorf("%q: exit %d %q, want 2 and the next step", text, r.code, r.stderr)
		}
	}
	if r := run(t, "", "key", "issue", "--user", "unknown", "--service", "apikeys", data); r.code != 3 {
		t.Errorf("unknown user: exit %d %q, want 3", r.code, r.stderr)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	data := "--data=" + filepath.Join(t.TempDir(), "d")
	for name, args := range map[string][]string{
		"unknown command": {"fly"},
		"unknown flag":    {"serve", "--fast"},
		"missing name":    {"user", "add", data},
		"too many names":  {"user", "add", "a", "b", data},
		"surplus words":   {"version", "x"},
		"bad value":       {"client", "add", "x", "--type", "toaster", data},
		"unknown shell":   {"completion", "tcsh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, "", args...)
			if r.code != 2 || !strings.Contains(r.stderr, "--help") {
				t.Errorf("exit %d %q, want 2 and a hint", r.code, r.stderr)
			}
		})
	}
}

func TestVersionAndConfig(t *testing.T) {
	t.Parallel()
	if v := object(t, run(t, "", "version", "--json")); v["version"] != "v0.0.0-test" {
		t.Errorf("version = %v", v)
	}
	c := object(t, run(t, "", "config", "print", "--json"))
	if listen, _ := c["listen"].(map[string]any); listen["http"] != "127.0.0.1:0" {
		t.Errorf("config = %v", c)
	}
	if r := run(t, "", "config", "print", "--changed"); strings.TrimSpace(r.stdout) != "listen:\n  http: 127.0.0.1:0" {
		t.Errorf("changed = %q", r.stdout)
	}
	if r := run(t, "", "config", "print", "--config", "/nowhere.yaml"); r.code != 6 {
		t.Errorf("missing file: exit %d %q, want 6", r.code, r.stderr)
	}
	if r := run(t, "", "serve", "--dialect", "klingon"); !strings.Contains(r.stderr,
		`invalid argument "klingon" for "--dialect" flag: choose neutral or sdk`) {
		t.Errorf("bad dialect: %q, want it in one line", r.stderr)
	}
	if r := run(t, "", "serve", "--json", "--dialect", "klingon"); r.code != 2 || !strings.Contains(r.stderr, `"failure":"usage"`) {
		t.Errorf("bad dialect: exit %d %q, want 6 as JSON", r.code, r.stderr)
	}
}

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/cli"
)

// inOneLine is a text without the breaks of its lines.
func inOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestConfigExplains(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "stoa.yaml")
	if err := os.WriteFile(file, []byte("workers: 300\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"config", "explain", "events.limits.user"}, 0, []string{
			"events.limits.user\n", "whole number, default 5000, variable STOA_EVENTS_LIMITS_USER",
		}},
		{[]string{"config", "explain", "STOA_LISTEN_HTTP"}, 0, []string{
			"listen.http\n    The address of the plain listener.",
		}},
		{[]string{"config", "explain", "workers"}, 0, []string{"; takes 1 to 256", "here: 8 (default)"}},
		{[]string{"config", "explain", "STOA_LISTEN_KMS"}, 0, []string{"flag --kms-socket", "here: empty (default)"}},
		{[]string{"config", "explain", "packages.batch_page"}, 0, []string{"takes above 0 and at most 5000"}},
		{[]string{"config", "explain", "log.level"}, 0, []string{"takes one of debug, info, warn, error"}},
		{[]string{"config", "explain", "workers", "--config", file}, 0, []string{
			"here: 300 (file " + file + ")", "refused: workers must be 1 to 256, not 300",
		}},
		{[]string{"config", "explain", "data", "--data", "elsewhere"}, 0, []string{"here: elsewhere (flag --data)"}},
		{[]string{"config", "explain", "console"}, 0, []string{"console.session_ttl", "console.code_tries"}},
		{[]string{"config", "explain", "hosts"}, 0, []string{"in the file only"}},
		{[]string{"config", "explain", "listn.http"}, 3, []string{
			`there is no setting "listn.http"`, "did you mean listen.http?",
		}},
		{[]string{"config", "explain", "dialect", "--json"}, 0, []string{
			`"variable":"STOA_DIALECT"`, `"default":"neutral"`,
		}},
	} {
		r := run(t, "", row.args...)
		for _, want := range row.want {
			if r.code != row.code || !strings.Contains(inOneLine(r.stdout+r.stderr), inOneLine(want)) {
				t.Errorf("%v: exit %d %q %q, want %d and %q", row.args, r.code, r.stdout, r.stderr, row.code, want)
			}
		}
	}
}

func TestConfigInit(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "stoa.yaml")
	if r := run(t, "", "config", "init", file); r.code != 0 || !strings.Contains(r.stdout, "stoa serve --config "+file) {
		t.Fatalf("exit %d %q %q", r.code, r.stdout, r.stderr)
	}
	r := run(t, "", "config", "print", "--changed", "--config", file)
	if r.code != 0 || strings.Count(r.stdout, "\n") > 2 {
		t.Errorf("the written file changes %q %q, want at most the address that run gives", r.stdout, r.stderr)
	}
	if err := os.WriteFile(file, []byte("workers: 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "", "config", "init", file); r.code != 4 {
		t.Errorf("a file that is there: exit %d %q, want 4", r.code, r.stderr)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "workers: 3\n" {
		t.Errorf("the file is now %q, %v", text, err)
	}
	none := filepath.Join(t.TempDir(), "none", "stoa.yaml")
	r = run(t, "", "config", "init", none)
	if r.code != 1 || !strings.Contains(r.stderr, "a folder that you may write to") {
		t.Errorf("a file in no folder: exit %d %q", r.code, r.stderr)
	}
	if r := run(t, "", "config", "init", "-"); r.code != 0 || !strings.Contains(r.stdout, "#listen:\n") {
		t.Errorf("exit %d %.300q, want the file", r.code, r.stdout)
	}
}

// Who reads a refusal opens the file at the line, or finds the variable or the flag.
func TestRefusalsSayWhereASettingWasGiven(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "stoa.yaml")
	if err := os.WriteFile(file, []byte("offline: true\nworkers: 300\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad.yaml")
	wrong := "base_url: stoa.example\nhosts: {taks: tasks.example}\ndatabase: {readers: -5}\n"
	if err := os.WriteFile(bad, []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	data := "--data=" + filepath.Join(dir, "data")
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", "--config", bad, data}, bad + ":1: base_url must be an http or https address"},
		{[]string{"serve", "--config", bad, data}, ":3: database.connections, database.readers and"},
		{[]string{"serve", "--config", bad, data}, `there is no service "taks"; did you mean tasks?`},
		{[]string{"serve", "--config", file, data}, file + ":2: workers must be 1 to 256, not 300"},
		{[]string{"start", "--config", file, data}, file + ":2: workers must be 1 to 256, not 300"},
		{[]string{"config", "print", "--config", file, data}, file + ":2: workers must be 1 to 256, not 300"},
		{[]string{"doctor", "--json", "--config", file, data}, file + ":2: workers must be 1 to 256, not 300"},
		{[]string{"serve", "--listen", "there", data}, `--listen: listen.http: "there" is not HOST:PORT, as in 127.0.0.1:8080`},
		{[]string{"serve", "--listen", "8080", data}, `"8080" is not HOST:PORT, as in 127.0.0.1:8080`},
		{[]string{"config", "print", "--database", "mysql", data}, `--database: database.url: "mysql" is neither`},
	} {
		r := run(t, "", row.args...)
		if r.code == 0 || !strings.Contains(strings.ReplaceAll(r.stdout+r.stderr, `\"`, `"`), row.want) {
			t.Errorf("%v: exit %d, want %q in\n%s%s", row.args, r.code, row.want, r.stdout, r.stderr)
		}
	}
}

// TestConfigOfTheRunningServer: print and explain show what the server has, whatever this command's
// own environment says.
func TestConfigOfTheRunningServer(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	said, stdout := io.Pipe()
	p := cli.Program{
		Args:  []string{"serve", "--listen", "127.0.0.1:0", "--data", data},
		Stdin: strings.NewReader(""), Stdout: stdout, Stderr: io.Discard, Version: "v0.0.0-test",
		Environ: []string{"STOA_WORKERS=3"},
	}
	ended := make(chan int, 1)
	go func() {
		ended <- p.Main(ctx)
		_ = stdout.Close() // a pipe's end does not fail
	}()
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "ready ") {
		continue // it has not yet begun to answer
	}
	go func() { _, _ = io.Copy(io.Discard, said) }() // the rest is of no interest
	ask := func(args ...string) string {
		var out, problem bytes.Buffer
		p := cli.Program{
			Args: append(args, "--data", data), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &problem,
			Version: "v0.0.0-test", Environ: []string{"STOA_WORKERS=7"},
		}
		if code := p.Main(t.Context()); code != 0 {
			t.Errorf("%v: exit %d %s", args, code, problem.String())
		}
		return out.String()
	}
	if text := ask("config", "explain", "workers"); !strings.Contains(text, "here: 3 (running server)") {
		t.Errorf("explain says %q", text)
	}
	if text := ask("config", "explain", "workers", "--json"); !strings.Contains(text, `"value":"3"`) {
		t.Errorf("explain --json says %q", text)
	}
	if text := ask("config", "print", "--changed"); !strings.Contains(text, "workers: 3") {
		t.Errorf("print says %q", text)
	}
	cancel()
	<-ended
}

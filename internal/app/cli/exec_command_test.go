package cli_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/cli"
)

func TestExecEndsAsTheCommandDoes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, script string
		code         int
	}{
		{"failure", "exit 7", 7},
		{"signal", "kill -TERM $$", 143},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if r := run(t, "", "exec", "--", "sh", "-c", row.script); r.code != row.code || r.stderr != "" {
				t.Errorf("exit %d %q, want %d and nothing", r.code, r.stderr, row.code)
			}
		})
	}
	r := run(t, "", "exec", "--", "no-such-program-anywhere")
	if r.code != 127 || !strings.Contains(r.stderr, "not found") {
		t.Errorf("unknown program: exit %d %q, want 127", r.code, r.stderr)
	}
	if r := run(t, "", "exec"); r.code != 2 {
		t.Errorf("no command: exit %d %q, want 2", r.code, r.stderr)
	}
}

func TestExecExportsAndCleans(t *testing.T) {
	t.Parallel()
	r := run(t, "typed", "exec", "--service", "generate", "--", "sh", "-c", `printf '%s\n' "$STOA_URL" "$STOA_DATA" "$GEMINI_API_KEY"; cat`)
	lines := strings.Split(r.stdout, "\n")
	if r.code != 0 || len(lines) != 4 || !strings.HasPrefix(lines[0], "http://127.0.0.1:") ||
		lines[2] == "" || lines[3] != "typed" {
		t.Fatalf("exit %d, out %q, err %q", r.code, r.stdout, r.stderr)
	}
	if _, err := os.Stat(lines[1]); !os.IsNotExist(err) {
		t.Errorf("the data folder %s is still there: %v", lines[1], err)
	}
}

// TestExecInAWorld uses the world and its lab while the command runs.
func TestExecInAWorld(t *testing.T) {
	t.Parallel()
	// The command says where the world is and ends when its standard input does.
	stdin, end := io.Pipe()
	said, stdout := io.Pipe()
	var stderr bytes.Buffer
	p := cli.Program{
		Args: []string{
			"exec", "--name", "mine", "--clock", "2031-05-06T07:08:09Z", "--seed", "7", "--", "sh", "-c",
			`printf '%s\n' "$STOA_URL" "$STOA_HTTPS_URL" "$STOA_LAB_URL" "$STOA_LAB_TOKEN" "$STOA_WORLD"; cat`,
		},
		Stdin: stdin, Stdout: stdout, Stderr: &stderr, Version: "v0.0.0-test",
		Environ: []string{"STOA_LISTEN_HTTP=127.0.0.1:0", "PATH=" + os.Getenv("PATH")},
	}
	code := make(chan int, 1)
	go func() {
		code <- p.Main(t.Context())
		stdout.Close()
	}()
	lines := bufio.NewScanner(said)
	var words []string
	for len(words) < 5 && lines.Scan() {
		words = append(words, lines.Text())
	}
	if len(words) < 5 {
		t.Fatalf("exit %d: %s", <-code, stderr.String())
	}
	if !strings.HasPrefix(words[1], "https://") || words[4] != "mine" {
		t.Errorf("the command saw %q", words)
	}
	date := func() string {
		t.Helper()
		_, header := fetch(t, http.MethodGet, words[0]+"/healthz", "", "")
		return header.Get("Date")
	}
	if got, want := date(), "Tue, 06 May 2031 07:08:09 GMT"; got != want {
		t.Errorf("Date = %s, want %s", got, want)
	}
	status, _ := fetch(t, http.MethodPost, words[2]+"/lab/v1/worlds/mine/clock/advance", words[3], `{"by":"7d"}`)
	if got, want := date(), "Tue, 13 May 2031 07:08:09 GMT"; status != 200 || got != want {
		t.Errorf("after an advance (%d): Date = %s, want %s", status, got, want)
	}
	end.Close()
	if got := <-code; got != 0 {
		t.Errorf("exit %d: %s", got, stderr.String())
	}
}

func fetch(t *testing.T, method, url, bearer, body string) (int, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	r.Header.Set("Content-Type", "application/json")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	return response.StatusCode, response.Header
}

func TestExecRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"a bad time", []string{"--clock", "tomorrow"}, "2026-03-01T09:00:00Z"},
		{"a bad name", []string{"--name", "Mine"}, "a-z"},
		{"another lab's snapshot", []string{"--from", "snapshot:kept"}, "--from FILE"},
		{"a file that is not there", []string{"--from", "none.stoa"}, "none.stoa"},
		{"another database", []string{"--database", "postgres://127.0.0.1/x"}, "database.url"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, "", append(append([]string{"exec"}, row.args...), "--", "true")...)
			if r.code == 0 || !strings.Contains(r.stderr, row.want) {
				t.Errorf("exit %d %q, want a refusal that says %q", r.code, r.stderr, row.want)
			}
		})
	}
}

// TestExecOfAScript: a file that cannot be run says how it can.
func TestExecOfAScript(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "client.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "", "exec", "--", script); r.code != 126 || !strings.Contains(r.stderr, "chmod +x") {
		t.Errorf("exit %d %q, want 126 and the next step", r.code, r.stderr)
	}
}

// TestExecKeepsTheDemo runs twice with a cache: the second world is a copy of the
// first one's demo, and both begin with its credentials.
func TestExecKeepsTheDemo(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	token := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		p := cli.Program{
			Args:  append(append([]string{"exec"}, args...), "--", "sh", "-c", `printf %s "$STOA_TOKEN"`),
			Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Version: "v0.0.0-test",
			Environ: []string{"XDG_CACHE_HOME=" + cache, "PATH=" + os.Getenv("PATH")},
		}
		if code := p.Main(t.Context()); code != 0 || stdout.Len() == 0 {
			t.Fatalf("exit %d %q: %s", code, stdout.String(), stderr.String())
		}
		return stdout.String()
	}
	first := token()
	kept, err := filepath.Glob(filepath.Join(cache, "stoa", "worlds", "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("the cache holds %v (%v), want one world", kept, err)
	}
	if info, err := os.Stat(filepath.Dir(kept[0])); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the cache is open to others: %v, %v", info.Mode(), err)
	}
	if second := token(); second != first {
		t.Error("the second world was not made of the kept demo")
	}
	if seeded := token("--seed", "7"); seeded == first {
		t.Error("a world with a seed begins with random credentials")
	}
}

// TestExecReportsConduct judges the command and fails where it is told to.
func TestExecReportsConduct(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page, silences := filepath.Join(dir, "conduct.html"), filepath.Join(dir, "conduct.yaml")
	text := "silence:\n  - rule: articles.abolished\n    reason: the old app needs it\n"
	if err := os.WriteFile(silences, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const bad = `curl -s -o /dev/null "$STOA_URL/api/v2/projects"`
	r := run(t, "", "exec", "--report", page, "--fail-on", "warning", "--", "sh", "-c", bad)
	written, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(written), "articles.abolished") {
		t.Errorf("the page: %v", err)
	}
	if r.code != 1 || !strings.Contains(r.stderr, "broke a rule") {
		t.Errorf("exit %d %q, want 1", r.code, r.stderr)
	}
	if r := run(t, "", "exec", "--silence", silences, "--fail-on", "warning", "--", "sh", "-c", bad); r.code != 0 {
		t.Errorf("silenced: exit %d %q, want 0", r.code, r.stderr)
	}
	if r := run(t, "", "exec", "--report", "conduct.pdf", "--", "true"); r.code != 2 {
		t.Errorf("an unknown extension: exit %d %q, want 2", r.code, r.stderr)
	}
}

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

// startLab runs a lab in a folder until the test ends.
func startLab(t *testing.T) (data string) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	said, stdout := io.Pipe()
	var stderr bytes.Buffer
	p := cli.Program{
		Args:  []string{"lab", "--listen", "127.0.0.1:0", "--data", dir},
		Stdin: strings.NewReader(""), Stdout: stdout, Stderr: &stderr, Version: "v0.0.0-test",
		Environ: []string{"XDG_CACHE_HOME=" + demos},
	}
	ended := make(chan int, 1)
	go func() {
		ended <- p.Main(ctx)
		stdout.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("the lab ended with %d: %s", code, stderr.String())
		}
	})
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "ready ") {
			return "--data=" + dir
		}
	}
	t.Fatal("the lab did not become ready")
	return ""
}

// TestLabCommands drives a lab as its pages show, and with the mistakes of new users.
func TestLabCommands(t *testing.T) {
	t.Parallel()
	data, files := startLab(t), t.TempDir()
	if r := run(t, "", "world", "create", "--name", "first", "--from", "empty", data); r.code != 0 {
		t.Fatalf("create: %d %s", r.code, r.stderr)
	}
	names := run(t, "", "__completeNoDesc", "world", "sleep", data, "")
	if names.stdout != "default\nfirst\n:4\n" {
		t.Errorf("worlds for a shell: %q %q, want those there are and no files", names.stdout, names.stderr)
	}
	exported := run(t, "", "world", "export", "first", data)
	file := filepath.Join(files, "first.stoa")
	if err := os.WriteFile(file, []byte(exported.stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	seed := filepath.Join(files, "mine.yaml")
	if err := os.WriteFile(seed, []byte("taskLists:\n- {user: missing, title: x}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stubs := filepath.Join(files, "stubs.json")
	if err := os.WriteFile(stubs, []byte(`{"mappings":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"variables of a lab", []string{"env", "tasks"}, 2, "--world default"},
		{"the doctor of a lab", []string{"doctor"}, 0, "our own lab has http://127.0.0.1:"},
		{"an export is imported", []string{"world", "import", file, "--name", "second"}, 0, ""},
		{"a second lab there", []string{"lab", "--listen", "127.0.0.1:0"}, 5, "already runs a lab in "},
		{"the lab has a status", []string{"status"}, 0, "pid"},
		{"and a console", []string{"open", "--print"}, 0, "/console"},
		{"a world is not stopped", []string{"stop", "--world", "first"}, 2, "stoa world sleep first"},
		{"no backup goes into a world", []string{"restore", files, "--world", "first"}, 2, "is not for stoa restore"},
		{"an authority", []string{"cert", "issue", "localhost", "--config", "x"}, 2, "the folder of the authority"},
		{"a world has no log", []string{"logs", "--world", "first"}, 2, "is not for stoa logs"},
		{
			"an operation that was not called",
			[]string{"expect", "first", "--operation", "tasks.insert", "--exactly", "0"}, 0, "",
		},
		{
			"a misspelt operation",
			[]string{"expect", "first", "--operation", "tasks.insrt", "--exactly", "0"}, 2, "tasks.insert",
		},
		{"a misspelt service", []string{"expect", "first", "--service", "task", "--exactly", "0"}, 2, "tasks"},
		{
			"a misspelt failure",
			[]string{"fault", "add", "first", "--service", "tasks", "--deed", "list_not_fnd"}, 2, "did you mean list_not_found?",
		},
		{"a catalogue of nothing", []string{"fault", "catalog", "--service", "tsks"}, 3, "did you mean tasks?"},
		{"a status that is none", []string{"requests", "list", "first", "--status", "9xx"}, 2, "4xx"},
		{
			"a failure with a status that is none",
			[]string{"fault", "add", "first", "--service", "tasks", "--deed", `{"status":99}`}, 2, "not 99",
		},
		{"a language without a client", []string{"env", "device", "--sdk", "python", "--world", "first"}, 0,
			"client: none for python"},
		{"an inbox", []string{"inbox", "add", "first", "box"}, 0, "box"},
		{"no message is waited for", []string{"inbox", "messages", "first", "box"}, 0, ""},
		{
			"a message that does not come",
			[]string{"inbox", "messages", "first", "box", "--at-least", "1", "--within", "1ms"}, 1, "expected: 1",
		},
		{"a world of no file", []string{"world", "import", "none.stoa"}, 3, "there is no file none.stoa"},
		{"no rules", []string{"fault", "add", "first", "--file", "none.yaml"}, 3, "there is no file none.yaml"},
		{"no silences", []string{"conduct", "first", "--silence", "none.yaml"}, 3, "there is no file none.yaml"},
		{"no recording", []string{"expect", "first", "--recorded", "none.har"}, 3, "no file none.har"},
		{"a recording of nothing", []string{"expect", "first", "--recorded", stubs}, 2, "has no requests"},
		{"a recording in another form", []string{"expect", "first", "--recorded", seed}, 2, "HAR"},
		{"an expiry", []string{"world", "create", "--expires", "1x"}, 2, "--expires must be a duration"},
		{"a fork's expiry", []string{"world", "fork", "first", "--expires", "1x"}, 2, "--expires must be a duration"},
		{"a pause", []string{"expect", "first", "--no-closer-than", "5"}, 2, "--no-closer-than must be a duration"},
		{"a late answer", []string{"inbox", "add", "first", "late", "--delay", "1"}, 2, "--delay must be a duration"},
		{"no calls at all", []string{"expect", "first", "--exactly", "-1"}, 2, "--exactly is negative"},
		{"a day", []string{"requests", "list", "first", "--since", "yesterday"}, 2, "--since must be a time"},
		{"a rate", []string{"clock", "run", "first", "--rate", "0"}, 2, "--rate must be above 0"},
		{"the past", []string{"clock", "advance", "first", "--by", "-1h"}, 2, "--by -1h is negative"},
		{"a request that is gone", []string{"requests", "show", "first", "99"}, 3, "stoa requests list WORLD"},
		{"a recording and", []string{"expect", "first", "--recorded", stubs, "--exactly", "1"}, 2, "leave out the others"},
		{"rules and", []string{"fault", "add", "first", "--file", stubs, "--nth", "1"}, 2, "put the rule into the file"},
		{"a page as JSON", []string{"conduct", "first", "--format", "html", "--json"}, 2, "leave out --json"},
		{"a form of the rules", []string{"conduct", "--format", "html"}, 2, "WORLD is missing"},
		{"the world at /", []string{"world", "delete", "default"}, 2, "Type default again to go on: \nstoa: not confirmed"},
		{"which is still there", []string{"world", "show", "default"}, 0, "default"},
		{"a world of a test", []string{"world", "delete", "second"}, 0, "done"},
		{"no world", []string{"world", "delete", "second"}, 3, "second"},
		{"a seed file with a fault", []string{"world", "create", "--seed-file", seed}, 2, seed + ":2:"},
	} {
		r := run(t, "", append(row.args, data)...)
		if r.code != row.code || !strings.Contains(r.stdout+r.stderr, row.want) {
			t.Errorf("%s: exit %d, out %q, err %q; want %d and %q", row.name, r.code, r.stdout, r.stderr, row.code, row.want)
		}
	}
}

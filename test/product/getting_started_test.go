package product_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// notStarted are words of blocks of the first page that this test does not run, and why.
func notStarted() map[string]string {
	return map[string]string{
		"npm install":   "fetches a client: test/sdk/tasks",
		"/var/lib/stoa": "is for a machine of one's own, and listens beyond loopback",
	}
}

// TestGettingStarted types the page of the examples and the first page, block by block in one shell. In
// place of make build it has the program that the tests share, and a free port in place of 8080.
func TestGettingStarted(t *testing.T) {
	t.Parallel()
	root, binary := build(t)
	needProgram(t, "node")
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(root, "examples"), filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	script, left := "set -eu\nmake() { test \"$*\" = build; }\n", map[string]bool{}
	script += strings.Join(shellLines(read(t, root, "examples/README.md")), "\n") + "\n"
	for _, block := range shellBlock.FindAllStringSubmatch(read(t, root, "docs/getting-started.md"), -1) {
		run := true
		for words := range notStarted() {
			if strings.Contains(block[1], words) {
				left[words], run = true, false
			}
		}
		if run {
			script += block[1]
		}
	}
	allLeft(t, left, notStarted())
	path := programs(t, binary)
	environment := append(program.Environ(), "STOA_LISTEN_HTTP=127.0.0.1:0",
		"PATH="+path+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Cleanup(func() {
		stop := exec.Command(filepath.Join(path, "stoa"), "stop")
		stop.Dir, stop.Env = dir, environment
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("stoa stop: %v\n%s", err, out)
		}
	})
	shell := exec.CommandContext(t.Context(), "sh", "-c", script)
	shell.Dir, shell.Env = dir, environment
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"kind":"tasks#taskLists"`, "maxTitleLength", "STOA_MODEL_KEY"} {
		if !strings.Contains(strings.ReplaceAll(string(out), `": "`, `":"`), want) {
			t.Errorf("nothing that was typed printed %s:\n%s", want, out)
		}
	}
}

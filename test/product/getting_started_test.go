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
		"npm install": "fetches a client: test/sdk/tasks",
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
	page := read(t, root, "docs/getting-started.md")
	for _, line := range meeting(page) {
		t.Errorf("docs/getting-started.md: %q while a server has port 8080 already", line)
	}
	page = strings.ReplaceAll(page, `"$HOME/stoa"`, filepath.Join(dir, "real"))
	for _, block := range shellBlock.FindAllStringSubmatch(page, -1) {
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
		// The page stops the demo itself, unless it failed before.
		for data, must := range map[string]bool{"real": !t.Failed(), "stoa-data": false} {
			stop := exec.Command(filepath.Join(path, "stoa"), "stop", "--data", data)
			stop.Dir, stop.Env = dir, environment
			if out, err := stop.CombinedOutput(); err != nil && must {
				t.Errorf("stoa stop --data %s: %v\n%s", data, err, out)
			}
		}
	})
	shell := exec.CommandContext(t.Context(), "sh", "-c", script)
	shell.Dir, shell.Env = dir, environment
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"kind":"tasks#taskLists"`, "maxTitleLength", "STOA_MODEL_KEY", "First start: user"} {
		if !strings.Contains(strings.ReplaceAll(string(out), `": "`, `":"`), want) {
			t.Errorf("nothing that was typed printed %s:\n%s", want, out)
		}
	}
}

// meeting are the lines of a page that start a server, or leave its folder, while an earlier one still has the port.
func meeting(page string) (found []string) {
	running := false
	for _, line := range shellLines(page) {
		starts := strings.HasPrefix(line, "stoa start") && !strings.Contains(line, "--listen")
		if running && (starts || strings.HasPrefix(line, "export STOA_DATA")) {
			found = append(found, line)
		}
		running = (running || starts) && !strings.HasPrefix(line, "stoa stop")
	}
	return found
}

func TestMeeting(t *testing.T) {
	t.Parallel()
	got := meeting("    stoa start\n    export STOA_DATA=x\n    stoa start --wait\n    stoa stop\n    stoa start\n")
	if want := "export STOA_DATA=x|stoa start --wait"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

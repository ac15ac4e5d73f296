package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

func tables(t *testing.T) ([]target, map[string]result, string) {
	t.Helper()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	targets, err := readTargets(targetFile)
	if err != nil {
		t.Fatal(err)
	}
	results, err := readResults(resultFile)
	if err != nil {
		t.Fatal(err)
	}
	return targets, results, root
}

// TestTargets: all 48 are there, in the order of the pages, and the pages are current.
func TestTargets(t *testing.T) {
	t.Parallel()
	targets, results, root := tables(t)
	var want, got []string
	for _, s := range sections() {
		want = append(want, s.ids...)
	}
	for _, x := range targets {
		got = append(got, x.ID)
	}
	if len(want) != 48 || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("targets %v, want %v", got, want)
	}
	for name, page := range pages(targets, results) {
		text, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil || string(text) != page {
			t.Errorf("docs/%s is not what the tables say (%v): go run ./test/reliability", name, err)
		}
	}
}

var (
	testCommand = regexp.MustCompile(`go test ([^&]*)`)
	runPattern  = regexp.MustCompile(`-run '?([^' ]+)'?`)
	makeCommand = regexp.MustCompile(`\bmake ([a-z- ]+)`)
)

// TestCommands: every package, test and make target that a row names exists.
func TestCommands(t *testing.T) {
	t.Parallel()
	targets, _, root := tables(t)
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range targets {
		for _, command := range []string{x.Command, x.Long} {
			for _, m := range testCommand.FindAllStringSubmatch(command, -1) {
				if !strings.Contains(command, "cd ") {
					checkTests(t, x.ID, root, m[1])
				}
			}
			for _, m := range makeCommand.FindAllStringSubmatch(command, -1) {
				for word := range strings.FieldsSeq(m[1]) {
					if !strings.Contains(string(makefile), "\n"+word+":") {
						t.Errorf("%s: there is no make %s", x.ID, word)
					}
				}
			}
		}
	}
}

// checkTests looks for a test of each alternative of a pattern in its packages.
func checkTests(t *testing.T, id, root, arguments string) {
	t.Helper()
	pattern := runPattern.FindStringSubmatch(arguments)
	if pattern == nil {
		return
	}
	var source strings.Builder
	for word := range strings.FieldsSeq(arguments) {
		if !strings.HasPrefix(word, "./") {
			continue
		}
		out, err := exec.Command("grep", "-rhE", "--include=*_test.go", "^func (Test|Fuzz)",
			filepath.Join(root, strings.TrimSuffix(word, "/..."))).Output()
		if err != nil {
			t.Errorf("%s: %s has no tests: %v", id, word, err)
		}
		source.Write(out)
	}
	for name := range strings.SplitSeq(pattern[1], "|") {
		whole, _, _ := strings.Cut(name, "/") // a test, not one of its parts
		exact, ok := strings.CutSuffix(whole, "$")
		if ok {
			exact += "("
		}
		if !strings.Contains(source.String(), "func "+exact) {
			t.Errorf("%s: there is no test %s", id, name)
		}
	}
}

// TestExecute: a pattern that fits no test and a test that fails are no results.
func TestExecute(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"true": passed, "false": failed, "echo ok x 0.1s [no tests to run]": failed, "sleep 30": outlast,
	} {
		r := execute(context.Background(), t.TempDir(), target{ID: "X", Command: command}, false, 5*time.Second)
		if r.Outcome != want {
			t.Errorf("%s: %s, want %s", command, r.Outcome, want)
		}
	}
	said := counted("=== RUN\n    crash_test.go:62: 50 kills in 3 s\n    x_test.go:1: seed 4\n" +
		"    y_test.go:2: 7 rounds\nok\n")
	if said != "50 kills in 3 s; 7 rounds" {
		t.Errorf("said %q", said)
	}
}

// TestRowsAreHonest: a row that claims more than it says is refused.
func TestRowsAreHonest(t *testing.T) {
	t.Parallel()
	for _, bad := range []target{
		{State: full, Command: "x", Missing: "y"}, {State: full}, {State: part, Command: "x"}, {State: none, Command: "x"},
		{State: "nearly", Command: "x"},
	} {
		if bad.check() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

package product_test

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

// TestQuickStarts runs every shell line of the services' pages against a demo world that lies
// where the pages say, in ./stoa-data. Every page has a working folder of its own, a repository.
func TestQuickStarts(t *testing.T) {
	t.Parallel()
	root, binary := build(t)
	needProgram(t, "curl")
	dir := t.TempDir()
	data := filepath.Join(dir, "stoa-data")
	server, err := program.Start(t.Context(), program.Options{
		Binary: binary, Data: data, Dir: dir, Args: []string{"--demo"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)

	pages, err := filepath.Glob(filepath.Join(root, "docs", "services", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	total, left := 0, map[string]bool{}
	for _, page := range demoPages() {
		pages = append(pages, filepath.Join(root, page))
	}
	for _, page := range pages {
		r := &reader{
			t: t, dir: t.TempDir(), path: programs(t, binary), left: left, leaves: notTried(),
		}
		if err := os.Symlink(data, filepath.Join(r.dir, "stoa-data")); err != nil {
			t.Fatal(err)
		}
		r.paste("a repository", "git init -q -b main . && "+
			"git -c user.name=a -c user.email=a@localhost commit -q --allow-empty -m first")
		r.read(page)
		total += r.tried
	}
	if total < 50 {
		t.Errorf("%d lines were tried, want at least 50: the pages or the reader changed", total)
	}
	allLeft(t, left, notTried())
	env, err := program.DemoEnv(data)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("forms", func(t *testing.T) { tryForms(t, env) })
}

// demoPages are typed beside those of the services.
func demoPages() []string {
	return []string{"README.md", "docs/settings.md", "docs/performance.md", "docs/users.md"}
}

// programs is a folder with stoa in it.
func programs(t *testing.T, binary string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(dir, "stoa")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// reader pastes one line after the other.
type reader struct {
	t *testing.T
	// dir is the working folder, and path one whose programs are found first.
	dir, path string
	// places are addresses that stand for those of a page, where a test has other ports.
	places map[string]string
	// assigned are the lines that give a later line its variables; nothing else does.
	assigned []string
	tried    int
	// leaves are words of lines that are not run, and why; left notes which were met.
	leaves map[string]string
	left   map[string]bool
}

var assignment = regexp.MustCompile(`^([A-Za-z_]+=|eval |export |\. )`)

// notTried are words of lines that the demo world of this test cannot run, and what runs them or why nothing does.
func notTried() map[string]string {
	return map[string]string{
		"smollm2":              "the weights of a model, which the operator fetches; make sdk does",
		"make run":             "runs the demo in the foreground, as this test did in the background",
		"make test":            "runs this test",
		"make kube-check":      "is a check of its own",
		"gh api":               "test/sdk/gh",
		"gh repo clone":        "test/sdk/gh",
		"export GH_HOST":       "test/sdk/gh",
		"stoa start":           "this test began with it, on a port of its own",
		"stoa serve":           "does not end, and names folders of a machine",
		"stoa worker":          "does not end, and needs PostgreSQL",
		"tools/cold-graphs.sh": "measures two builds against public registries",
		"go run ./test/bench":  "measures two builds",
	}
}

// allLeft: what no page has any more has no place in the table.
func allLeft(t *testing.T, left map[string]bool, leaves map[string]string) {
	t.Helper()
	for words := range leaves {
		if !left[words] {
			t.Errorf("no page has a line with %q any more: take it out of the table", words)
		}
	}
}

// read pastes all lines of a page, in the shell of a reader who has read the page that it belongs to.
func (r *reader) read(page string) {
	r.t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		r.t.Fatal(err)
	}
	r.assigned = beginning(r.t, page, string(text))
	for _, line := range shellLines(string(text)) {
		r.try(filepath.Base(page), line)
	}
}

// try runs a line, unless it is a comment, gives later lines their variables or is one of those that are left.
func (r *reader) try(page, line string) {
	r.t.Helper()
	for words := range r.leaves {
		if strings.Contains(line, words) {
			r.left[words] = true
			if names := variables(line); len(names) > 0 {
				r.paste(page, `: "$`+strings.Join(names, `" "$`)+`" # are what this line needs: `+line)
			}
			return
		}
	}
	switch {
	case line == "" || strings.HasPrefix(line, "#"):
	case assignment.MatchString(line):
		r.assigned = append(r.assigned, line)
	default:
		r.tried++
		r.paste(page, line)
	}
}

// paste runs a line as it stands.
func (r *reader) paste(page, line string) {
	r.t.Helper()
	for named, place := range r.places {
		line = strings.ReplaceAll(line, named, place)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-euc", strings.Join(r.assigned, "\n")+"\n"+
		strings.Replace(line, "curl ", "curl -sS --fail-with-body ", 1))
	shell.Dir = r.dir
	shell.Env = append(program.Environ(), "PATH="+r.path+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := shell.CombinedOutput()
	if err != nil {
		r.t.Errorf("%s: %s\n%v: %s", page, line, err, out[max(0, len(out)-600):]) // why is said last
	}
}

// shellLines are the commands of a page's code: indented blocks and fences
// named sh. Lines that end in a backslash go on.
func shellLines(text string) []string {
	var lines []string
	var open string
	fenced, other := false, false // in a fence named sh, in another
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if fence := strings.TrimSpace(line); strings.HasPrefix(fence, "```") {
			inside := fenced || other
			fenced, other = !inside && fence == "```sh", !inside && fence != "```sh"
			continue
		}
		code, indented := strings.CutPrefix(line, "    ")
		if other || !fenced && !indented {
			open = ""
			continue
		}
		if fenced {
			code = line
		}
		open += strings.TrimSpace(code)
		if rest, more := strings.CutSuffix(open, "\\"); more {
			open = rest
			continue
		}
		lines = append(lines, open)
		open = ""
	}
	return lines
}

func TestShellLines(t *testing.T) {
	t.Parallel()
	got := shellLines("text\n\n    curl one \\\n      two\n\n```sh\ncurl three\n```\n\n" +
		"  ```yaml\n      curl four\n  ```\n    curl five\n")
	if want := "curl one two|curl three|curl five"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

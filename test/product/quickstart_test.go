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

// TestQuickStarts runs every curl and stoa line of the pages against a demo
// world that lies where the pages say: in ./stoa-data.
func TestQuickStarts(t *testing.T) {
	t.Parallel()
	root, binary := build(t)
	needProgram(t, "curl")
	dir := t.TempDir()
	if err := os.Symlink(binary, filepath.Join(dir, "stoa")); err != nil {
		t.Fatal(err)
	}
	server, err := program.Start(t.Context(), program.Options{
		Binary: binary, Data: filepath.Join(dir, "stoa-data"), Dir: dir, Args: []string{"--demo"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)

	pages, err := filepath.Glob(filepath.Join(root, "docs", "services", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, page := range append(pages, filepath.Join(root, "README.md"),
		filepath.Join(root, "docs", "getting-started.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		reader := &reader{t: t, dir: dir, answers: map[string]string{}}
		for _, line := range shellLines(string(text)) {
			reader.try(filepath.Base(page), line)
		}
		total += reader.tried
	}
	if total < 20 {
		t.Errorf("%d lines were tried, want at least 20: the pages or the reader changed", total)
	}
	env, err := program.DemoEnv(filepath.Join(dir, "stoa-data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("forms", func(t *testing.T) { tryForms(t, env) })
}

// reader pastes one line after the other.
type reader struct {
	t   *testing.T
	dir string
	// answers are values that a later line names in capitals, as DEVICE_CODE.
	answers map[string]string
	// assigned are the lines that give a later line its variables.
	assigned []string
	tried    int
}

var assignment = regexp.MustCompile(`^[A-Z]+="[^"]*"$`)

// elsewhere are words of lines that need what a demo world has not.
func elsewhere() []string {
	return []string{
		"smollm2", // the weights of a model, which the operator fetches
	}
}

// answered are the values that pages write in capitals, and where an earlier
// answer has them.
func answered() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"DEVICE_CODE": regexp.MustCompile(`"device_code":\s*"([^"]+)"`),
		"RESOURCE_ID": regexp.MustCompile(`"resourceId":\s*"([^"]+)"`),
		"KEYWORD_ID":  regexp.MustCompile(`"keywords":\s*\[\{"id":\s*"([^"]+)"`),
		"REPORT_DATE": regexp.MustCompile(`"lastReportDate":\s*"([^"]+)"`),
	}
}

// try runs a line. A poll before anybody has approved is refused, and the page
// says so: that is not a failure of the page.
func (r *reader) try(page, line string) {
	r.t.Helper()
	if assignment.MatchString(line) {
		r.assigned = append(r.assigned, line)
		return
	}
	if !strings.HasPrefix(line, "curl ") && !strings.HasPrefix(line, "stoa events ") &&
		!strings.HasPrefix(line, "stoa repo ") {
		return
	}
	for _, needed := range elsewhere() {
		if strings.Contains(line, needed) {
			return
		}
	}
	for name, value := range r.answers {
		line = strings.ReplaceAll(line, name, value)
	}
	r.tried++
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-c",
		". ./stoa-data/demo.env\n"+strings.Join(r.assigned, "\n")+"\n"+
			strings.Replace(line, "curl ", "curl -sS --fail-with-body ", 1))
	shell.Dir = r.dir
	shell.Env = append(program.Environ(), "PATH="+r.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := shell.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "authorization_pending") {
		r.t.Errorf("%s: %s\n%v: %.600s", page, line, err, out)
	}
	for name, pattern := range answered() {
		if found := pattern.FindSubmatch(out); found != nil {
			r.answers[name] = string(found[1])
		}
	}
}

// shellLines are the commands of a page's code: indented blocks and fences
// named sh. Lines that end in a backslash go on.
func shellLines(text string) []string {
	var lines []string
	var open string
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = line == "```sh"
			continue
		}
		code, indented := strings.CutPrefix(line, "    ")
		if !fenced && !indented {
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
	got := shellLines("text\n\n    curl one \\\n      two\n\n```sh\ncurl three\n```\n\n```yaml\ncurl four\n```\n")
	if want := "curl one two|curl three"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

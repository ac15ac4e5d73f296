package world

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Program says how the snippets of a page are run.
type Program struct {
	// Path is a folder whose programs a shell snippet finds before others.
	Path string
	// Containing leaves shell snippets out that do not have these words.
	Containing string
	// Python is the folder below python whose client a Python snippet imports.
	Python string
	// Env are variables beside those of the demo world.
	Env []string
	// Printed is told every line while the program runs: some wait for a user, who is the test.
	Printed func(line string)
}

// Snippet runs what a page, as "docs/services/tasks.md", shows in a language ("go", "js", "python", "sh"), letter
// by letter and each block as a program of its own, where the client's packages are found: a Go program with
// the requirements of this folder, a JavaScript one with those of npm. The test fails when a program does, or
// prints nothing. It returns what all printed.
//
// TestEverySnippetIsExecuted in test/kits finds the calls by their form.
func (s *Server) Snippet(t testing.TB, page, language string, p Program) string {
	t.Helper()
	root, _, err := cache()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(text), -1)
	if len(shown) == 0 {
		t.Fatalf("%s shows nothing in %s", page, language)
	}
	var all strings.Builder
	for _, block := range shown {
		if language == "sh" && !strings.Contains(block[1], p.Containing) {
			continue
		}
		out := s.runSnippet(t, language, block[1], p)
		if strings.TrimSpace(out) == "" {
			t.Fatalf("%s: the program in %s prints nothing, so a reader does not see that it works", page, language)
		}
		all.WriteString(out)
	}
	if all.Len() == 0 {
		t.Fatalf("%s shows nothing that contains %q", page, p.Containing)
	}
	return all.String()
}

func (s *Server) runSnippet(t testing.TB, language, code string, p Program) string {
	t.Helper()
	dir, kind := t.TempDir(), language
	var run *exec.Cmd
	var name string
	switch language {
	case "go":
		// Files named one by one may lie anywhere; their imports are those of this module.
		name = filepath.Join(dir, "main.go")
		run = exec.CommandContext(t.Context(), filepath.Join(dir, "main"))
	case "js":
		kind, name = "npm", filepath.Join(dir, "main.mjs")
		install(t, "npm")
		packages, err := filepath.Abs(filepath.Join("npm", "node_modules"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(packages, filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
		run = exec.CommandContext(t.Context(), "node", name)
	case "python":
		name = filepath.Join(dir, "main.py")
		// Lines come as they are printed, not when the program ends.
		run = exec.CommandContext(t.Context(), environment(t, filepath.Join("python", p.Python)), "-u", "-B", name)
	case "sh":
		kind, name = "go", filepath.Join(dir, "main.sh")
		run = exec.CommandContext(t.Context(), "sh", "-eu", name)
		p.Env = append(slices.Clip(p.Env), "PATH="+p.Path+string(os.PathListSeparator)+os.Getenv("PATH"))
	default:
		t.Fatalf("no program runs %s", language)
	}
	if err := os.WriteFile(name, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	if language == "go" {
		output(t, ".", "go", "build", "-trimpath", "-buildvcs=false", "-o", run.Path, name)
	}
	if p.Printed == nil {
		return s.script(t, kind, dir, run, p.Env)
	}
	return s.watched(t, kind, dir, run, p)
}

// watched runs a program and tells its lines as they come.
func (s *Server) watched(t testing.TB, kind, dir string, run *exec.Cmd, p Program) string {
	t.Helper()
	s.note(t, "go")
	run.Dir, run.Env = dir, s.variables(p.Env)
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	run.Stderr = run.Stdout
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		all.WriteString(lines.Text() + "\n")
		p.Printed(lines.Text())
	}
	if err := run.Wait(); err != nil {
		t.Fatalf("%v: %v\n%s", run.Args, err, all.String())
	}
	s.note(t, kind)
	return all.String()
}

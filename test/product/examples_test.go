package product_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/program"
)

// examplesTime bounds all examples of a language together.
const examplesTime = 4 * time.Minute

// TestExamples runs the example of every service in both languages inside one
// `stoa exec`, as the documentation says.
func TestExamples(t *testing.T) {
	t.Parallel()
	root, binary := build(t)
	t.Run("go", func(t *testing.T) {
		t.Parallel()
		programs := t.TempDir()
		command := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-s -w", "-o", programs+"/", "./...")
		command.Dir = filepath.Join(root, "examples", "go")
		command.Env = append(os.Environ(), program.GoFlags(), "CGO_ENABLED=0")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("build the examples: %v\n%s", err, out)
		}
		examples(t, binary, func(service string) string { return filepath.Join(programs, service) })
	})
	t.Run("js", func(t *testing.T) {
		t.Parallel()
		needProgram(t, "node")
		dir := filepath.Join(root, "examples", "js")
		examples(t, binary, func(service string) string { return "node " + filepath.Join(dir, service+".mjs") })
	})
}

// examples runs one command per service that has a page of documentation.
func examples(t *testing.T, binary string, command func(service string) string) {
	t.Helper()
	var script strings.Builder
	var names []string
	for _, m := range documented(t) {
		names = append(names, m)
		fmt.Fprintf(&script, "echo '== %s'; %s; echo \"ended $?\"\n", m, command(m))
	}
	ctx, cancel := context.WithTimeout(t.Context(), examplesTime)
	defer cancel()
	run := exec.CommandContext(ctx, binary, "exec", "--", "sh", "-c", script.String())
	run.Dir = t.TempDir()
	run.Env = append(program.Environ(), "STOA_DEVICE_INTERVAL=1s")
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("stoa exec: %v\n%s", err, out)
	}
	for _, name := range names {
		_, said, _ := strings.Cut(string(out), "== "+name+"\n")
		said, _, _ = strings.Cut(said, "\n== ")
		said = strings.TrimSpace(said)
		words, ended := strings.CutSuffix(said, "ended 0")
		if !ended || strings.TrimSpace(words) == "" {
			t.Errorf("%s:\n%s", name, said)
		}
	}
}

// documented are the services that have a page: those are finished.
func documented(t *testing.T) []string {
	t.Helper()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range app.Services() {
		if _, err := os.Stat(filepath.Join(root, "docs", "services", m.Name+".md")); err == nil {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		t.Fatal("no service has a page")
	}
	return names
}

func build(t *testing.T) (root, binary string) {
	t.Helper()
	root, err := program.Root()
	if err == nil {
		binary, err = program.Build(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return root, binary
}

// needProgram fails where a program is missing.
func needProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Fatalf("%s is not installed; run make setup", name)
	}
}

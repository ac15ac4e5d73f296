package world

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// GoProgram builds a program that the folder's go.mod names as a tool and returns its path.
func GoProgram(t testing.TB, importPath string) string {
	t.Helper()
	_, kept, err := cache()
	if err != nil {
		t.Fatal(err)
	}
	built := filepath.Join(kept, "programs", filepath.Base(importPath))
	output(t, ".", "go", "build", "-trimpath", "-buildvcs=false", "-o", built, importPath)
	return built
}

// Run runs a program with the server's variables and those given, and returns what it printed.
// What it drives is noted as Go's.
func (s *Server) Run(t testing.TB, env []string, program string, args ...string) string {
	t.Helper()
	return s.script(t, "go", ".", exec.Command(program, args...), env)
}

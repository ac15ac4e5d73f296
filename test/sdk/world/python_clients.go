package world

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// PythonClients drives a server with every client under the folder python. A
// client is a folder with a requirements.txt, which pins all that is installed
// and marks with "# indirect" what only a client needs, and scripts test_*.py.
// Each script is a subtest with a server of its own and fails by ending with a
// status other than 0; other files are for the scripts to import.
func PythonClients(t *testing.T, o Options) {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join("python", "*", "requirements.txt"))
	if err != nil || len(manifests) == 0 {
		t.Fatalf("python has no folder with a requirements.txt (%v)", err)
	}
	for _, manifest := range manifests {
		dir := filepath.Dir(manifest)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			scripts, err := filepath.Glob(filepath.Join(dir, "test_*.py"))
			if err != nil || len(scripts) == 0 {
				t.Fatalf("%s has no script test_*.py (%v)", dir, err)
			}
			python := environment(t, dir)
			for _, script := range scripts {
				file := filepath.Base(script)
				t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "test_"), ".py"), func(t *testing.T) {
					// Imports leave no compiled copies among the sources.
					Serve(t, o).script(t, "python", dir, exec.Command(python, "-B", file), nil)
				})
			}
		})
	}
}

// environment is the interpreter of a virtual environment that holds exactly
// what dir/requirements.txt pins. It is made again when that changes. Where
// packages come from is the machine's configuration of pip.
func environment(t testing.TB, dir string) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal("python3 is not in PATH: install Python 3.10 or newer with its modules venv and pip")
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	version := output(t, dir, python, "--version")
	sum := sha256.Sum256(append([]byte(version), manifest...))
	_, kept, err := cache()
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(kept, "python", filepath.Base(dir)+"-"+hex.EncodeToString(sum[:6]))
	inside, complete := filepath.Join(home, "bin", "python"), filepath.Join(home, "complete")
	if _, err := os.Stat(complete); err == nil {
		return inside
	}
	output(t, dir, python, "-m", "venv", "--clear", home)
	output(t, dir, inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps",
		"--requirement", "requirements.txt")
	// What is not pinned is not installed, and is named here.
	output(t, dir, inside, "-m", "pip", "check", "--disable-pip-version-check")
	if err := os.WriteFile(complete, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return inside
}

// output runs a program in a folder and returns what it prints.
func output(t testing.TB, dir, program string, args ...string) string {
	t.Helper()
	run := exec.Command(program, args...)
	run.Dir = dir
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

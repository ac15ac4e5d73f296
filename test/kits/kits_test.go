package kits_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// kit is the folder of a kit and how its users run its tests.
type kit struct {
	folder  string
	command []string
}

func all() []kit {
	return []kit{
		{"go", []string{"go", "test", "-count=1", "./..."}},
		{"node", []string{"node", "--test", "test/"}},
		{"python", []string{"python3", "-m", "unittest", "discover", "-s", "tests"}},
	}
}

// TestKits runs the tests of each kit with a lab that the kit starts.
func TestKits(t *testing.T) {
	t.Parallel()
	binary := build(t)
	for _, k := range all() {
		t.Run(k.folder, func(t *testing.T) {
			t.Parallel()
			run(t, filepath.Join(root(t), "kit", k.folder), []string{"STOA_BIN=" + binary}, k.command...)
		})
	}
}

// TestKitsWithALab runs them with one lab whose worlds are reached below its own
// address, as in a container: what the lab calls 127.0.0.1 has another name here.
func TestKitsWithALab(t *testing.T) {
	t.Parallel()
	address := startLab(t)
	for _, k := range all() {
		t.Run(k.folder, func(t *testing.T) {
			t.Parallel()
			run(t, filepath.Join(root(t), "kit", k.folder), append(address, "STOA_BIN=/nowhere"), k.command...)
		})
	}
}

// startLab starts a lab until the test ends, and returns its variables.
func startLab(t *testing.T) []string {
	t.Helper()
	const token = "0123456789abcdef0123"
	lab := exec.CommandContext(t.Context(), build(t), "lab", "--ephemeral", "--listen", "127.0.0.1:0", "--token", token)
	lab.Env = append(environment(t), "STOA_LAB_URL=")
	stdin, err := lab.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := lab.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := lab.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // which ends it
		_ = lab.Wait()
	})
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) == 4 && words[0] == "lab" && words[3] == token {
			return []string{
				"STOA_LAB_URL=" + strings.Replace(words[1], "127.0.0.1", "localhost", 1), "STOA_LAB_TOKEN=" + token,
			}
		}
	}
	t.Fatal("the lab did not say where it is")
	return nil
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func build(t *testing.T) string {
	t.Helper()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// environment is that of a user without a lab, whose programs leave nothing behind.
func environment(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), program.GoFlags(), "CGO_ENABLED=0", "GORACE="+program.RaceOptions,
		"GOCACHE="+strings.TrimSpace(string(out)), "XDG_CACHE_HOME="+cache, "STOA_LAB_URL=", "STOA_LAB_TOKEN=",
		"PYTHONDONTWRITEBYTECODE=1")
}

// cache keeps the demo for all tests of this process.
var cache string

func TestMain(m *testing.M) {
	var err error
	if cache, err = os.MkdirTemp("", "kits"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(cache); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// run runs a command of a user in a folder and returns what it printed.
func run(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Dir, c.Env = dir, append(environment(t), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", command, err, out)
	}
	return string(out)
}

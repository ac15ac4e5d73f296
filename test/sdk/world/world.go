package world

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Start builds and serves a demo world until the test ends and returns the
// variables of its demo.env. Further arguments go to "stoa serve".
func Start(t testing.TB, args ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	server := exec.Command(Build(t, dir), append([]string{
		"serve", "--data", data, "--listen", "127.0.0.1:0", "--demo", "--dialect", "sdk",
	}, args...)...)
	server.Env = append(os.Environ(), "STOA_LOG_LEVEL=error")
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	})
	ready := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "ready ") {
				close(ready)
			}
		}
	}()
	select {
	case <-ready:
	case <-time.After(time.Minute):
		t.Fatal("the server is not ready after a minute")
	}
	return ReadEnv(t, filepath.Join(data, "demo.env"))
}

// Build makes the binary in dir and returns its path.
func Build(t testing.TB, dir string) string {
	t.Helper()
	_, self, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(self), "..", "..", "..")
	binary := filepath.Join(dir, "stoa")
	build := exec.Command("go", "build", "-C", root, "-buildvcs=false", "-o", binary, "./cmd/stoa")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// ReadEnv reads shell assignments.
func ReadEnv(t testing.TB, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	for line := range bytes.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(string(line)), "="); ok {
			env[name] = strings.Trim(value, `'"`)
		}
	}
	return env
}

// Node installs the packages that dir/package-lock.json pins and runs a script
// there with the variables.
func Node(t testing.TB, dir, script string, env map[string]string) {
	t.Helper()
	install := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--silent")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci in %s: %v\n%s", dir, err, out)
	}
	run := exec.Command("node", script)
	run.Dir = dir
	run.Env = os.Environ()
	for name, value := range env {
		run.Env = append(run.Env, name+"="+value)
	}
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("node %s: %v\n%s", script, err, out)
	}
}

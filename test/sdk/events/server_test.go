package events_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// server is the true binary with a demo world in the sdk dialect.
type server struct {
	binary, data string
	env          map[string]string
}

func start(t *testing.T) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{binary: filepath.Join(dir, "stoa"), data: filepath.Join(dir, "data")}
	build := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-buildvcs=false", "-o", s.binary, "./cmd/stoa")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	program := exec.Command(s.binary, "serve", "--data", s.data, "--listen", "127.0.0.1:0", "--demo", "--dialect", "sdk")
	// Fewer points a minute: the clients shall meet the limit soon.
	program.Env = append(os.Environ(), "STOA_LOG_LEVEL=error", "STOA_EVENTS_LIMITS_POINTS=70")
	program.Stderr = os.Stderr
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = program.Process.Signal(os.Interrupt)
		_ = program.Wait()
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
		t.Fatal("the server is not ready")
	}
	s.env = readEnv(t, filepath.Join(s.data, "demo.env"))
	return s
}

// readEnv reads shell assignments.
func readEnv(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	for line := range bytes.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(string(line)), "=")
		if ok {
			env[name] = strings.Trim(value, `'"`)
		}
	}
	return env
}

// command runs an operator command.
func (s *server) command(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command(s.binary, append(args, "--data", s.data)...).CombinedOutput()
	if err != nil {
		t.Fatalf("stoa %v: %v\n%s", args, err, out)
	}
}

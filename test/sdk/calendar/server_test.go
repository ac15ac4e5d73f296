package calendar_test

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

// start builds and serves a demo world in the sdk dialect and returns the
// variables of demo.env. Outbound calls trust the authority and may go to
// loopback.
func start(t *testing.T, authority string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "stoa")
	build := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-buildvcs=false", "-o", binary, "./cmd/stoa")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	data := filepath.Join(dir, "data")
	server := exec.Command(binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--demo", "--dialect", "sdk")
	server.Env = append(os.Environ(), "STOA_LOG_LEVEL=error", "STOA_DELIVER_ALLOW=127.0.0.0/8", "STOA_DELIVER_TRUSTED_CA_FILE="+authority)
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
		t.Fatal("the server is not ready")
	}
	return readEnv(t, filepath.Join(data, "demo.env"))
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
			env[strings.TrimPrefix(name, "export ")] = strings.Trim(value, `'"`)
		}
	}
	return env
}

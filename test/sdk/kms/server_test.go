package kms_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// product is one life of the true binary with its socket.
type product struct {
	binary, data, socket string
	command              *exec.Cmd
}

// binary is built once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "stoa-kms-sdk-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "stoa")
	build := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-buildvcs=false", "-o", path, "./cmd/stoa")
	build.Stderr = os.Stderr
	return path, build.Run()
})

// start serves a data folder. Settings are environment assignments.
func start(t *testing.T, dir string, settings ...string) *product {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	p := &product{binary: path, data: filepath.Join(dir, "data"), socket: filepath.Join(dir, "kms.sock")}
	p.command = exec.Command(path, "serve", "--data", p.data, "--listen", "127.0.0.1:0", "--kms-socket", p.socket)
	p.command.Env = append(os.Environ(), settings...)
	p.command.Stderr = os.Stderr
	out, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.stop)
	ready := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "ready ") {
				close(ready)
			}
		}
	}()
	select {
	case <-ready:
	case <-time.After(30 * time.Second):
		t.Fatal("the server is not ready")
	}
	return p
}

func (p *product) stop() {
	if p.command.ProcessState != nil {
		return
	}
	_ = p.command.Process.Signal(os.Interrupt)
	_ = p.command.Wait()
}

// run is one operator command against the running server.
func (p *product) run(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, p.binary, append(args, "--data", p.data)...).CombinedOutput()
	if err != nil {
		t.Fatalf("stoa %v: %v\n%s", args, err, out)
	}
	return string(out)
}

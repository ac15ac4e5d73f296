package world

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options say how the server differs from a demo world in the sdk dialect.
type Options struct {
	// Args are further arguments of "stoa serve".
	Args []string
	// Env are settings, as in "STOA_DEVICE_INTERVAL=1s".
	Env []string
	// Data is the data folder; empty means a new one.
	Data string
	// Bare leaves the demo world and the dialect out.
	Bare bool
}

// Server is one life of the binary.
type Server struct {
	URL, Data, Binary string
	// Env are the variables of demo.env; empty when Bare.
	Env map[string]string

	command *exec.Cmd
	counted tally // what was noted already
	lab     bool  // it is a lab's first world
}

// readyWithin is a guard: a start takes a fraction of a second.
const readyWithin = time.Minute

// Serve runs the binary until the test ends.
func Serve(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{Binary: Build(t), Data: o.Data, counted: tally{}}
	if s.Data == "" {
		s.Data = filepath.Join(t.TempDir(), "data")
	}
	args := []string{"serve", "--data", s.Data, "--listen", "127.0.0.1:0"}
	switch {
	case s.inLab(o):
		// The same demo, and a journal that the clients' conduct is read from.
		args = []string{"lab", "--data", s.Data, "--listen", "127.0.0.1:0", "--idle", "1h"}
		s.Data = filepath.Join(s.Data, "worlds", "default", "data")
		s.lab = true
	case !o.Bare:
		args = append(args, "--demo", "--dialect", "sdk")
	}
	model := Model()
	if model != "" && !o.Bare {
		o.Env = append(o.Env, "STOA_GENERATE_LOCAL_ENGINE="+engine(t))
	}
	s.command = exec.Command(s.Binary, append(args, o.Args...)...)
	s.command.Env = append(append(os.Environ(), "STOA_LOG_LEVEL=error", "STOA_LAB_TOKEN="+labToken), o.Env...)
	s.command.Stderr = os.Stderr
	out, err := s.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(t) })
	ready := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if url, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
				ready <- url
			}
		}
	}()
	select {
	case s.URL = <-ready:
	case <-time.After(readyWithin):
		t.Fatal("the server is not ready after a minute")
	}
	switch {
	case s.lab:
		s.Env = s.labEnv(t)
	case !o.Bare:
		s.Env = ReadEnv(t, filepath.Join(s.Data, "demo.env"))
	}
	if model != "" && !o.Bare {
		s.pull(t, model)
	}
	return s
}

// Stop notes what the test drove and ends the server. A second call does
// nothing.
func (s *Server) Stop(t testing.TB) {
	if s.command.ProcessState != nil {
		return
	}
	// Also where noting ends the test: the folder is removed next.
	defer func() {
		_ = s.command.Process.Signal(os.Interrupt)
		_ = s.command.Wait()
	}()
	if !t.Failed() {
		s.note(t, "go")
		s.noteConduct(t)
	}
}

// Command runs an operator command against the server.
func (s *Server) Command(t testing.TB, args ...string) string {
	t.Helper()
	out, err := exec.Command(s.Binary, append(args, "--data", s.Data)...).CombinedOutput()
	if err != nil {
		t.Fatalf("stoa %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// Start serves a demo world until the test ends and returns its variables.
func Start(t testing.TB, args ...string) map[string]string {
	t.Helper()
	s := Serve(t, Options{Args: args})
	servers.Store(s.URL, s)
	return s.Env
}

// cache is where the tests keep what they make: root/.cache/test/sdk. The root is
// found above the working folder, which go test sets to that of the test: paths in
// the binary are trimmed where the go command is told so.
func cache() (root, dir string, err error) {
	root, err = os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(root, "test", "sdk", "world")); missing == nil {
			return root, filepath.Join(root, ".cache", "test", "sdk"), nil
		}
		if root == filepath.Dir(root) {
			err = errors.New("test/sdk/world is in no folder above the working one")
		}
		root = filepath.Dir(root)
	}
	return "", "", err
}

// build compiles the binary once a process; the go command does nothing when
// it is current.
var build = sync.OnceValues(func() (string, error) {
	root, dir, err := cache()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "stoa")
	command := exec.Command("go", "build", "-C", root, "-trimpath", "-buildvcs=false", "-o", binary, "./cmd/stoa")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	command.Stderr = os.Stderr
	return binary, command.Run()
})

// Build makes the binary and returns its path.
func Build(t testing.TB) string {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatalf("build: %v", err)
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
			env[strings.TrimPrefix(name, "export ")] = strings.Trim(value, `'"`)
		}
	}
	return env
}

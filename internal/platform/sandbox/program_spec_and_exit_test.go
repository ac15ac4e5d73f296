package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/platform/sandbox/runcount"
)

// guard bounds a test that hangs; nothing waits for it otherwise.
const guard = 60 * time.Second

// confined is a sandbox on the real clock. Where none can be made the tests
// have nothing to say, which is a failure where they must speak.
func confined(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	s := sandbox.New(sandbox.DefaultConfig(), clock.Real())
	if err := available(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("with CI=true the sandbox must work: %v", err)
		}
		t.Skip(err)
	}
	return s
}

// available asks once.
var available = sync.OnceValue(func() error {
	return sandbox.New(sandbox.DefaultConfig(), clock.Real()).Check(context.Background())
})

// folder makes a work folder that is gone after the test.
func folder(t *testing.T, s *sandbox.Sandbox) string {
	t.Helper()
	root, err := s.WorkRoot(t.TempDir())
	if err != nil {
		t.Fatalf("WorkRoot: %v", err)
	}
	dir, err := os.MkdirTemp(root, "work-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sandbox.Remove(dir); err != nil {
			t.Errorf("Remove: %v", err)
		}
		_ = os.Remove(root) // refuses while another test uses it
	})
	return dir
}

// shell runs a script and returns how it ended and what it said.
func shell(t *testing.T, s *sandbox.Sandbox, script string, change func(*sandbox.Spec)) (sandbox.Exit, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	var out bytes.Buffer
	spec := sandbox.Spec{Args: []string{"/bin/sh", "-c", script}, Dir: folder(t, s), Stdout: &out, Stderr: &out,
		Timeout: guard}
	if change != nil {
		change(&spec)
	}
	exit, err := s.Run(ctx, spec)
	if err != nil {
		t.Fatalf("Run: %v\n%s", err, out.String())
	}
	return exit, out.String()
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if err := confined(t).Check(t.Context()); err != nil {
		t.Errorf("Check = %v, want nil", err)
	}
	c := sandbox.DefaultConfig()
	c.Program = "no-such-bwrap"
	err := sandbox.New(c, clock.Real()).Check(t.Context())
	if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), "install bubblewrap") {
		t.Errorf("Check without bubblewrap = %v, want words about installing it", err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	s := confined(t)
	for _, tc := range []struct {
		name, script, want string
		code               int
		change             func(*sandbox.Spec)
	}{
		{name: "exit code and both streams", script: "echo out; echo err >&2; exit 7", want: "out\nerr\n", code: 7},
		{name: "signal", script: "kill -TERM $$", code: 128 + 15},
		{name: "input", script: "cat", want: "hello",
			change: func(s *sandbox.Spec) { s.Stdin = strings.NewReader("hello") }},
		{name: "no input", script: "cat; echo end", want: "end\n"},
		{
			name: "environment", script: "env | sort",
			change: func(s *sandbox.Spec) { s.Env = []string{"A=1 2", "B=", "A=3"} },
			want: "A=3\nB=\nHOME=/home/stoa\nLANG=C.UTF-8\nLOGNAME=stoa\n" +
				"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin\n" +
				"PWD=/home/stoa\nTERM=dumb\nTMPDIR=/tmp\nUSER=stoa\n",
		},
		{name: "work folder", script: "pwd; id -u; id -un; touch a && ls", want: "/home/stoa\n1000\nstoa\na\n"},
		{name: "unknown program", script: "", code: 127, want: "sandbox: 1: exec: /no/such: not found\n",
			change: func(s *sandbox.Spec) { s.Args = []string{"/no/such"} }},
		{name: "descriptors", script: "ls /proc/self/fd | tr '\\n' ' '", want: "0 1 2 3 "},
		{name: "limits", script: "ulimit -n; ulimit -c; ulimit -d", want: "99\n0\n1048576\n",
			change: func(s *sandbox.Spec) { s.Open, s.Memory = 99, 1<<30 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			exit, out := shell(t, s, tc.script, tc.change)
			if exit.Code != tc.code || (tc.want != "" && out != tc.want) {
				t.Errorf("code %d, said %q; want %d, %q", exit.Code, out, tc.code, tc.want)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	s := confined(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	shell(t, s, "echo through >&3", func(s *sandbox.Spec) { s.Files = []*os.File{write} })
	write.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(read); err != nil || b.String() != "through\n" {
		t.Errorf("descriptor 3 brought %q, %v", b.String(), err)
	}
}

func TestWorkFolderStays(t *testing.T) {
	t.Parallel()
	s := confined(t)
	dir := folder(t, s)
	if err := os.WriteFile(filepath.Join(dir, "given"), []byte("from outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	same := func(s *sandbox.Spec) { s.Dir = dir }
	if exit, out := shell(t, s, "cat given && echo changed > given && mkdir -p closed/in && chmod 0 closed",
		same); exit.Code != 0 {
		t.Fatalf("first run: %d %s", exit.Code, out)
	}
	if exit, out := shell(t, s, "cat given", same); exit.Code != 0 || out != "changed\n" {
		t.Errorf("second run: %d %q, want what the first left", exit.Code, out)
	}
}

// TestNetwork shares the host's network when operator and caller both say so,
// and keeps the program out of it otherwise.
func TestNetwork(t *testing.T) {
	t.Parallel()
	confined(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("hello\n"))
			_ = c.Close()
		}
	}()
	c := sandbox.DefaultConfig()
	c.Network = true
	s := sandbox.New(c, clock.Real())
	_, port, _ := net.SplitHostPort(l.Addr().String())
	script := "exec 3<>/dev/tcp/127.0.0.1/" + port + " && cat <&3"
	for _, network := range []bool{true, false} {
		exit, out := shell(t, s, "", func(s *sandbox.Spec) {
			s.Args, s.Network = []string{"/bin/bash", "-c", script},
				network
		})
		if reached := exit.Code == 0 && out == "hello\n"; reached != network {
			t.Errorf("network %v: exit %+v, said %q", network, exit, out)
		}
	}
}

// TestCounts: every run is counted by how it ended.
func TestCounts(t *testing.T) {
	t.Parallel()
	s := confined(t)
	shell(t, s, "true", nil)
	shell(t, s, "exit 3", nil)
	shell(t, s, "sleep 60", func(spec *sandbox.Spec) { spec.Timeout = 100 * time.Millisecond })
	if _, err := s.Run(t.Context(), sandbox.Spec{}); err == nil {
		t.Error("a spec without a program ran")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := s.Run(ctx, sandbox.Spec{Args: []string{"sleep", "60"}, Dir: folder(t, s), Timeout: guard}); err == nil {
		t.Error("a run outlived its context")
	}
	if got, want := s.Runs.Read(), (runcount.Counts{Done: 1, Failed: 1, Killed: 1, Refused: 1, Stopped: 1}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

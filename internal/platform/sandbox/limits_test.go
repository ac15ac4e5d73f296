package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
)

// TestLimits passes each limit and sees the run end for that reason.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := confined(t)
	for _, tc := range []struct {
		name, script string
		change       func(*sandbox.Spec)
		want         sandbox.Exit
	}{
		{name: "wall time", script: "sleep 1000", change: func(s *sandbox.Spec) { s.Timeout = 200 * time.Millisecond },
			want: sandbox.Exit{TimedOut: true}},
		{name: "wall time of a busy program", script: "while :; do :; done",
			change: func(s *sandbox.Spec) { s.Timeout = 200 * time.Millisecond }, want: sandbox.Exit{TimedOut: true}},
		{name: "silence", script: "echo a; sleep 1000",
			change: func(s *sandbox.Spec) { s.Silence = 200 * time.Millisecond }, want: sandbox.Exit{Silent: true}},
		{name: "output", script: "yes", change: func(s *sandbox.Spec) { s.Output = 1 << 20 },
			want: sandbox.Exit{TooMuchOutput: true}},
		{name: "output of many", script: "yes & yes >&2 & wait", change: func(s *sandbox.Spec) { s.Output = 1 << 20 },
			want: sandbox.Exit{TooMuchOutput: true}},
		{
			name: "memory of many processes", change: func(s *sandbox.Spec) { s.Memory = 96 << 20 },
			want:   sandbox.Exit{OutOfMemory: true},
			script: `for i in 1 2 3 4; do head -c 60m /dev/zero | tail -c 60m | sleep 1000 & done; wait`,
		},
		{
			name: "disk", change: func(s *sandbox.Spec) { s.Disk = 8 << 20; s.FileSize = 4 << 20 },
			want:   sandbox.Exit{OutOfDisk: true},
			script: `for i in 1 2 3 4; do head -c 4000000 /dev/zero > f$i; done; sleep 1000`,
		},
		{
			name: "disk without names", change: func(s *sandbox.Spec) { s.Disk = 8 << 20; s.FileSize = 6 << 20 },
			want:   sandbox.Exit{OutOfDisk: true},
			script: `for i in 1 2; do ( exec 3>f$i; rm f$i; head -c 6000000 /dev/zero >&3; exec sleep 1000 ) & done; wait`,
		},
		{
			name: "levels", want: sandbox.Exit{OutOfDisk: true},
			script: `mkdir -p $(printf 'd/%.0s' $(seq 300)); sleep 1000`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			exit, out := shell(t, s, tc.script, tc.change)
			got := exit
			got.Usage, got.Code, got.Signal = sandbox.Usage{}, 0, 0
			if got != tc.want || exit.Code != 137 || exit.Success() {
				t.Errorf("exit %+v, want %+v; said %.200q", exit, tc.want, out)
			}
		})
	}
}

// TestOutputIsExact passes on every byte up to the bound and none beyond.
func TestOutputIsExact(t *testing.T) {
	t.Parallel()
	s := confined(t)
	exit, out := shell(t, s, "head -c 300000 /dev/zero", func(s *sandbox.Spec) { s.Output = 300_000 })
	if !exit.Success() || len(out) != 300_000 {
		t.Errorf("at the bound: %+v, %d bytes", exit, len(out))
	}
	exit, out = shell(t, s, "head -c 300001 /dev/zero; sleep 1000", func(s *sandbox.Spec) { s.Output = 300_000 })
	if !exit.TooMuchOutput || len(out) != 300_000 || exit.Usage.Output != 300_000 {
		t.Errorf("beyond the bound: %+v, %d bytes", exit, len(out))
	}
}

// TestTimeIsTheWorlds runs on a clock that stands still.
func TestTimeIsTheWorlds(t *testing.T) {
	t.Parallel()
	confined(t)
	v := clock.NewVirtual(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	s := sandbox.New(sandbox.DefaultConfig(), v)
	spoke := make(chan struct{}, 1)
	done := make(chan sandbox.Exit, 1)
	go func() {
		exit, err := s.Run(t.Context(), sandbox.Spec{
			Args: []string{"/bin/sh", "-c", "echo up; sleep 1000"}, Dir: folder(t, s), Silence: time.Hour,
			Stdout: writer(func(p []byte) (int, error) { spoke <- struct{}{}; return len(p), nil }),
		})
		if err != nil {
			t.Errorf("Run: %v", err)
		}
		done <- exit
	}()
	<-spoke
	v.Advance(59 * time.Minute)
	select {
	case exit := <-done:
		t.Fatalf("ended before its time: %+v", exit)
	default:
	}
	for {
		v.Advance(time.Hour)
		select {
		case exit := <-done:
			if !exit.Silent || exit.Usage.Wall < time.Hour {
				t.Errorf("exit %+v, want silent after an hour", exit)
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// TestCancel ends the run and names the cause.
func TestCancel(t *testing.T) {
	t.Parallel()
	s := confined(t)
	why := errors.New("canceled by a user")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := s.Run(ctx, sandbox.Spec{
		Args: []string{"/bin/sh", "-c", "setsid sleep 1000 & echo up; sleep 1000"}, Dir: folder(t, s),
		Stdout: writer(func(p []byte) (int, error) { cancel(why); return len(p), nil }),
	})
	if !errors.Is(err, why) {
		t.Errorf("Run = %v, want the cause %v", err, why)
	}
	if _, err := s.Run(ctx, sandbox.Spec{Args: []string{"/bin/sh"}, Dir: folder(t, s)}); !errors.Is(err, why) {
		t.Errorf("Run with a cancelled context = %v, want the cause %v", err, why)
	}
}

// TestReaderGone kills a program whose output is not read.
func TestReaderGone(t *testing.T) {
	t.Parallel()
	s := confined(t)
	_, err := s.Run(t.Context(), sandbox.Spec{
		Args: []string{"/bin/sh", "-c", "yes"}, Dir: folder(t, s),
		Stdout: writer(func([]byte) (int, error) { return 0, io.ErrClosedPipe }),
	})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Run = %v, want %v", err, io.ErrClosedPipe)
	}
}

// TestBackPressure holds the reader back for two hours and sees the program
// wait, silent neither in its own eyes nor in ours.
func TestBackPressure(t *testing.T) {
	t.Parallel()
	confined(t)
	v := clock.NewVirtual(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	s := sandbox.New(sandbox.DefaultConfig(), v)
	var got bytes.Buffer
	first := true
	exit, err := s.Run(t.Context(), sandbox.Spec{
		Args: []string{"/bin/sh", "-c", "head -c 1000000 /dev/zero"}, Dir: folder(t, s), Silence: time.Hour,
		Stdout: writer(func(p []byte) (int, error) {
			if first {
				first = false
				for range 8 {
					v.Advance(15 * time.Minute)
					<-time.After(5 * time.Millisecond)
				}
			}
			return got.Write(p)
		}),
	})
	if err != nil || !exit.Success() || got.Len() != 1_000_000 {
		t.Errorf("exit %+v, %v, %d bytes; want success and every byte", exit, err, got.Len())
	}
}

func TestSpec(t *testing.T) {
	t.Parallel()
	s := sandbox.New(sandbox.DefaultConfig(), clock.Real())
	for name, spec := range map[string]sandbox.Spec{
		"no program":       {Dir: "/d"},
		"relative folder":  {Args: []string{"a"}, Dir: "d"},
		"network":          {Args: []string{"a"}, Dir: "/d", Network: true},
		"nameless":         {Args: []string{"a"}, Dir: "/d", Env: []string{"x"}},
		"NUL in variable":  {Args: []string{"a"}, Dir: "/d", Env: []string{"x=\x00--bind\x00/\x00/"}},
		"NUL in argument":  {Args: []string{"a\x00b"}, Dir: "/d"},
		"relative mount":   {Args: []string{"a"}, Dir: "/d", ReadOnly: []sandbox.Mount{{Host: "x", Inside: "/y"}}},
		"missing folder":   {Args: []string{"a"}, Dir: "/no/such/folder"},
		"too many entries": {Args: []string{"a"}, Dir: "/d", Env: strings.Split(strings.Repeat("a=b,", 3000), ",")},
	} {
		if _, err := s.Run(t.Context(), spec); !errors.Is(err, sandbox.ErrSpec) {
			t.Errorf("%s: Run = %v, want ErrSpec", name, err)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	if err := sandbox.DefaultConfig().Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
	for name, change := range map[string]func(*sandbox.Config){
		"mode":    func(c *sandbox.Config) { c.Mode = "auto" },
		"program": func(c *sandbox.Config) { c.Program = "" },
		"path":    func(c *sandbox.Config) { c.ReadOnly = []string{"opt"} },
		"cgroup":  func(c *sandbox.Config) { c.Cgroup = "x" },
		"user":    func(c *sandbox.Config) { c.FirstUser = 0 },
	} {
		c := sandbox.DefaultConfig()
		change(&c)
		if err := c.Validate(); err == nil {
			t.Errorf("%s: Validate accepted %+v", name, c)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	s := sandbox.New(sandbox.DefaultConfig(), clock.Real())
	root, err := s.WorkRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(root)
	for b.Loop() {
		if _, err := s.Run(b.Context(), sandbox.Spec{Args: []string{"/bin/true"}, Dir: root}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOutput(b *testing.B) {
	s := sandbox.New(sandbox.DefaultConfig(), clock.Real())
	root, err := s.WorkRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(100 << 20)
	defer os.RemoveAll(root)
	for b.Loop() {
		if _, err := s.Run(b.Context(), sandbox.Spec{Args: []string{"head", "-c", "100M", "/dev/zero"}, Dir: root,
			Output: 1 << 40, Stdout: io.Discard}); err != nil {
			b.Fatal(err)
		}
	}
}

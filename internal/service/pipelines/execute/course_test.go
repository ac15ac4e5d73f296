package execute_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

func TestBackground(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	steps := "      - run: {command: 'while [ ! -e ~/go ]; do sleep 0.02; done; echo serving; touch ~/ready; sleep " +
		"1000', background: true}\n"
	steps += "      - run: {command: 'echo short; exit 4', background: true}\n"
	for i := range 4 {
		steps += fmt.Sprintf("      - run: {command: 'echo b%d; sleep 1000', background: true}\n", i)
	}
	steps += "      - run: touch ~/go; while [ ! -e ~/ready ]; do sleep 0.02; done; echo seen; sleep 0.2\n"
	c := h.run(execute.Task{Job: job(t, steps, "")})
	if want := "0:success 1:failed 2:success 3:success 4:success 5:success 6:success"; c.Outcome != execute.Success ||
		c.ends() != want {
		t.Errorf("%s %s, want %s", c.Outcome, c.ends(), want)
	}
	for step, want := range map[int]string{0: "serving\n", 1: "short\n", 2: "b0\n", 5: "b3\n", 6: "seen\n"} {
		if c.text(step) != want {
			t.Errorf("step %d said %q, want %q", step, c.text(step), want)
		}
	}
	if c.ended[1].Code != 4 || c.ended[0].Code != -1 {
		t.Errorf("codes %d and %d, want 4 and -1", c.ended[1].Code, c.ended[0].Code)
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, more, steps, reason string
		change                    func(*sandbox.Config, *execute.Limits)
		outcome                   execute.Outcome
		ends                      string
	}{
		{
			name: "no output", outcome: execute.TimedOut, ends: "0:timedout", reason: "no_output_timeout",
			steps: "      - run: {command: 'echo a; sleep 1000', no_output_timeout: 300ms}\n      - run: {command: " +
				"echo no, when: always}\n",
		},
		{
			name: "job time", outcome: execute.TimedOut, ends: "0:timedout", reason: "longer than 300ms",
			more: "    timeout: 300ms\n",
			steps: "      - run: while :; do echo busy; sleep 0.05; done\n      - run: {command: echo no, when: " +
				"always}\n",
		},
		{
			name: "memory", outcome: execute.Failed, ends: "0:failed",
			change: func(_ *sandbox.Config, l *execute.Limits) { l.Memory = 64 << 20 },
			steps:  "      - run: head -c 200m /dev/zero | tail -c 199m > /dev/null\n",
		},
		{
			name: "no sandbox", outcome: execute.Infrastructure, ends: "0:infrastructure_fail",
			reason: "install bubblewrap",
			change: func(c *sandbox.Config, _ *execute.Limits) { c.Program = "no-such-bwrap" },
			steps:  "      - run: echo no\n",
		},
		{name: "network not allowed", outcome: execute.Infrastructure, ends: "0:infrastructure_fail",
			reason: "operator", more: "    network: true\n", steps: "      - run: echo no\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t, tc.change)
			c := h.run(execute.Task{Job: job(t, tc.steps, tc.more)})
			if c.Outcome != tc.outcome || c.ends() != tc.ends || !strings.Contains(c.ended[0].Reason, tc.reason) {
				t.Errorf("%s %s %+v (%v), want %s %s %q", c.Outcome, c.ends(), c.ended[0], c.Err, tc.outcome, tc.ends,
					tc.reason)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		cause   error
		outcome execute.Outcome
	}{
		{"by a user", execute.ErrCanceled, execute.Canceled},
		{"by a shutdown", errors.New("the server stops"), execute.Infrastructure},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t, nil)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c := newCourse()
			c.onSaid = func(_ int, text string) {
				if strings.Contains(text, "up") {
					cancel(tc.cause)
				}
			}
			h.runInto(ctx, execute.Task{Job: job(t,
				"      - run: setsid sleep 1000 & echo up; sleep 1000\n      - run: {command: echo no, when: "+
					"always}\n", "")}, c)
			if c.Outcome != tc.outcome || c.ends() != "0:"+string(tc.outcome) {
				t.Errorf("%s %s %v, want %s", c.Outcome, c.ends(), c.Err, tc.outcome)
			}
			if tc.outcome == execute.Infrastructure && !errors.Is(c.Err, tc.cause) {
				t.Errorf("error %v, want %v", c.Err, tc.cause)
			}
		})
	}
}

// TestReporterFails ends the job: what is not reported need not go on.
func TestReporterFails(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	broken := errors.New("the database is gone")
	c := newCourse()
	outcome, err := h.Run(t.Context(), execute.Task{Job: job(t, "      - run: yes\n", "")}, h, deaf{c, broken})
	if outcome != execute.Infrastructure || !errors.Is(err, broken) {
		t.Errorf("%s %v, want infrastructure_fail and the cause", outcome, err)
	}
}

type deaf struct {
	*course
	err error
}

func (d deaf) Output(context.Context, int, string, []byte) error { return d.err }

func TestOutputBound(t *testing.T) {
	t.Parallel()
	h := newFixture(t, func(_ *sandbox.Config, l *execute.Limits) { l.Output = 100_000 })
	c := h.run(execute.Task{Job: job(t, "      - run: head -c 1000000 /dev/zero | tr '\\0' x; echo end > done\n    "+
		"  - run: cat done\n", "")})
	if c.Outcome != execute.Success || !c.ended[0].Truncated || c.text(1) != "end\n" {
		t.Errorf("%s %+v %q, want a step that went on unheard", c.Outcome, c.ended[0], c.text(1))
	}
	if n := strings.Count(c.text(0), "x"); n != 100_000 || !strings.HasSuffix(c.text(0), "is not kept]\n") {
		t.Errorf("%d bytes kept, ending %q", n, c.text(0)[max(0, len(c.text(0))-60):])
	}
}

// TestNothingStays looks for files and folders after every kind of end.
func TestNothingStays(t *testing.T) {
	t.Parallel()
	sb := sandbox.New(sandbox.DefaultConfig(), clock.Real())
	h := newFixture(t, nil)
	h.run(execute.Task{Job: job(t, "      - checkout\n      - run: mkdir -p a/b && touch a/b/c && chmod -R 0 a && "+
		"ln -s / root && exit 1\n", "")})
	root, err := sb.WorkRoot(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) != 0 {
		t.Errorf("left behind %v, %v", left, err)
	}
	// What a killed server left goes when the next one opens.
	if err := os.MkdirAll(filepath.Join(root, "job-1", "home", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := h.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The root may be shared with other tests: one of them that opens holds what it removes.
	deadline := time.After(10 * time.Second)
	for {
		left, err := os.ReadDir(root)
		if err != nil || len(left) == 0 {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("Open left %v", left)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestOpenSparesTheLiving opens a second executor on the folder of one that is
// in the middle of a job.
func TestOpenSparesTheLiving(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	c := newCourse()
	opened := false
	c.onSaid = func(int, string) {
		if !opened {
			opened = true
			other := execute.New(sandbox.New(sandbox.DefaultConfig(), clock.Real()), h.dir, clock.Real(),
				execute.DefaultLimits())
			if err := other.Open(t.Context()); err != nil {
				t.Errorf("Open: %v", err)
			}
		}
	}
	h.runInto(t.Context(), execute.Task{Job: job(t,
		"      - run: echo up; sleep 0.2\n      - run: touch still && ls\n", "")}, c)
	if c.Outcome != execute.Success || c.text(1) != "still\n" || !opened {
		t.Errorf("%s %v, %q", c.Outcome, c.Err, c.text(1))
	}
}

// TestHostMode runs a job without a sandbox, which an operator can ask for.
func TestHostMode(t *testing.T) {
	t.Parallel()
	h := newFixture(t, func(c *sandbox.Config, _ *execute.Limits) { c.Mode = sandbox.ModeHost })
	h.files["f"] = "file\n"
	c := h.run(execute.Task{Job: job(t, `      - checkout
      - run: cat f; mkdir -p ~/keep; echo kept > ~/keep/k; (setsid sleep 1000 >/dev/null 2>&1 &) ; echo $HOME
      - save_cache: {key: k, paths: [~/keep]}
      - save_cache: {key: away, paths: [/etc/hostname]}
      - store_artifacts: {path: f}
`, "")})
	if c.Outcome != execute.Success || h.artifacts["f"] != "file\n" || !strings.HasPrefix(c.text(1), "file\n"+h.dir) {
		t.Errorf("%s %v %q %q", c.Outcome, c.Err, h.artifacts, c.text(1))
	}
	c = h.run(execute.Task{Job: job(t, "      - restore_cache: {key: k}\n      - run: cat ~/keep/k\n      - "+
		"restore_cache: {key: away}\n", "")})
	if c.text(1) != "kept\n" || c.ended[2].Outcome != execute.Failed {
		t.Errorf("restored %q, %+v; want the file and no write outside of home", c.text(1), c.ended[2])
	}
}

// TestManyAtOnce runs jobs side by side.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	done := make(chan string, 16)
	for i := range cap(done) {
		go func() {
			c := newCourse()
			j := job(t, fmt.Sprintf("      - run: echo %d > me\n      - run: cat me; ls ~/.. | wc -l; ps ax | grep "+
				"-c '[s]leep' || true\n", i), "")
			outcome, err := h.Run(t.Context(), execute.Task{Job: j}, h, c)
			done <- fmt.Sprintf("%d %s %v %q", i, outcome, err, c.text(1))
		}()
	}
	for range cap(done) {
		got := <-done
		var i int
		fmt.Sscan(got, &i)
		if want := fmt.Sprintf("%d success <nil> %q", i, fmt.Sprintf("%d\n1\n0\n", i)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// BenchmarkOutput streams a log, masked, to a reporter that counts.
func BenchmarkOutput(b *testing.B) {
	sb := sandbox.New(sandbox.DefaultConfig(), clock.Real())
	l := execute.DefaultLimits()
	l.Output = 1 << 40
	e := execute.New(sb, b.TempDir(), clock.Real(), l)
	const size = 200 << 20
	t := &testing.T{}
	task := execute.Task{Job: job(t, "      - run: set +o pipefail; yes 'this is a line of a log, not very long, "+
		"not very short' | head -c 200M\n", ""), Secrets: []string{"a secret", "tokentoken", "not really"}}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		var c counter
		if outcome, err := e.Run(b.Context(), task, nil, &c); outcome != execute.Success || int64(c) != size {
			b.Fatal(outcome, err, int64(c))
		}
	}
}

type counter int64

func (c *counter) StepStarted(context.Context, execute.StepStart) error { return nil }
func (c *counter) StepEnded(context.Context, execute.StepEnd) error     { return nil }
func (c *counter) Output(_ context.Context, _ int, _ string, p []byte) error {
	*c += counter(len(p))
	return nil
}

// BenchmarkJob is a job of one trivial step.
func BenchmarkJob(b *testing.B) {
	e := execute.New(sandbox.New(sandbox.DefaultConfig(), clock.Real()), b.TempDir(), clock.Real(),
		execute.DefaultLimits())
	task := execute.Task{Job: job(&testing.T{}, "      - run: 'true'\n", "")}
	for b.Loop() {
		var c counter
		if outcome, err := e.Run(b.Context(), task, nil, &c); outcome != execute.Success {
			b.Fatal(outcome, err)
		}
	}
}

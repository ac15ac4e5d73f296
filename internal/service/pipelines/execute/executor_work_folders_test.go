package execute_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

// fixture runs jobs for one test and keeps what they leave.
type fixture struct {
	t *testing.T
	*execute.Executor
	dir string

	mu        sync.Mutex
	caches    map[string][]byte
	order     []string
	layers    [][]byte
	artifacts map[string]string
	cases     []execute.TestCase
	files     map[string]string
	links     map[string]string // of the revision
	refuse    error             // of the checkout
	saves     int
}

// available asks once whether a sandbox can be made here.
var available = sync.OnceValue(func() error {
	return sandbox.New(sandbox.DefaultConfig(), clock.Real()).Check(context.Background())
})

func newFixture(t *testing.T, change func(*sandbox.Config, *execute.Limits)) *fixture {
	t.Helper()
	if err := available(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("with CI=true the sandbox must work: %v", err)
		}
		t.Skip(err)
	}
	c, l := sandbox.DefaultConfig(), execute.DefaultLimits()
	l.Timeout, l.Silence = time.Minute, time.Minute
	if change != nil {
		change(&c, &l)
	}
	h := &fixture{t: t, dir: t.TempDir(), caches: map[string][]byte{}, artifacts: map[string]string{},
		files: map[string]string{"README": "hello\n"}}
	h.Executor = execute.New(sandbox.New(c, clock.Real()), h.dir, clock.Real(), l)
	if err := h.Open(t.Context()); err != nil {
		t.Fatalf("Open: %v", err)
	}
	return h
}

func (h *fixture) Checkout(_ context.Context, dir string) error {
	for name, text := range h.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	for name, to := range h.links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return h.refuse
}

func (h *fixture) SaveCache(_ context.Context, key string, r io.Reader) error {
	h.mu.Lock()
	_, taken := h.caches[key]
	h.mu.Unlock()
	if taken {
		return execute.ErrExists
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.caches[key] = b
	h.order = append(h.order, key)
	h.saves++
	return nil
}

func (h *fixture) RestoreCache(_ context.Context, keys []string) (string, io.ReadCloser, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range keys {
		for i := len(h.order) - 1; i >= 0; i-- {
			if strings.HasPrefix(h.order[i], k) {
				return h.order[i], io.NopCloser(bytes.NewReader(h.caches[h.order[i]])), nil
			}
		}
	}
	return "", nil, nil
}

func (h *fixture) Persist(_ context.Context, r io.Reader) error {
	b, err := io.ReadAll(r)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		h.layers = append(h.layers, b)
	}
	return err
}

func (h *fixture) Attach(context.Context) (io.ReadCloser, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []io.Reader
	for _, l := range h.layers {
		all = append(all, bytes.NewReader(l))
	}
	if all == nil {
		return nil, nil
	}
	return io.NopCloser(io.MultiReader(all...)), nil
}

func (h *fixture) Artifact(_ context.Context, path string, size int64, r io.Reader) error {
	b, err := io.ReadAll(r)
	if err == nil && int64(len(b)) != size {
		err = fmt.Errorf("%s: %d bytes, announced %d", path, len(b), size)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.artifacts[path] = string(b)
	return err
}

func (h *fixture) Tests(_ context.Context, cases []execute.TestCase) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cases = append(h.cases, cases...)
	return nil
}

// course is what a job reported.
type course struct {
	mu      sync.Mutex
	started map[int]execute.StepStart
	ended   map[int]execute.StepEnd
	said    map[int]*strings.Builder
	onSaid  func(step int, text string)
	Outcome execute.Outcome
	Err     error
}

func newCourse() *course {
	return &course{started: map[int]execute.StepStart{}, ended: map[int]execute.StepEnd{},
		said: map[int]*strings.Builder{}}
}

func (c *course) StepStarted(_ context.Context, s execute.StepStart) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started[s.Step] = s
	c.said[s.Step] = &strings.Builder{}
	return nil
}

func (c *course) Output(ctx context.Context, step int, _ string, p []byte) error {
	c.mu.Lock()
	c.said[step].Write(p)
	text := c.said[step].String()
	c.mu.Unlock()
	if c.onSaid != nil {
		c.onSaid(step, text)
	}
	return context.Cause(ctx)
}

func (c *course) StepEnded(_ context.Context, s execute.StepEnd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, twice := c.ended[s.Step]; twice {
		return fmt.Errorf("step %d ended twice", s.Step)
	}
	c.ended[s.Step] = s
	return nil
}

// ends is the outcome of every step that ran.
func (c *course) ends() string {
	var out []string
	for i := range 100 {
		if e, ok := c.ended[i]; ok {
			out = append(out, fmt.Sprintf("%d:%s", i, e.Outcome))
		} else if _, ok := c.started[i]; ok {
			out = append(out, fmt.Sprintf("%d:never", i))
		}
	}
	return strings.Join(out, " ")
}

func (c *course) text(step int) string {
	if c.said[step] == nil {
		return ""
	}
	return c.said[step].String()
}

// job plans the steps of a YAML list.
func job(t *testing.T, steps, more string) recipe.Job {
	t.Helper()
	text := "version: 2.1\njobs:\n  build:\n" + more + "    steps:\n" + steps
	f, err := recipe.Options{Name: "pipeline.yml"}.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, text)
	}
	jobs, err := f.Plan(recipe.Revision{Branch: "main"})
	if err != nil {
		t.Fatalf("Plan: %v", err)
	}
	return jobs[0]
}

func (h *fixture) run(task execute.Task) *course {
	h.t.Helper()
	c := newCourse()
	h.runInto(h.t.Context(), task, c)
	return c
}

// runInto runs and sees that nothing is left in the folder.
func (h *fixture) runInto(ctx context.Context, task execute.Task, c *course) {
	h.t.Helper()
	if task.Revision == "" {
		task.Revision = "abc123"
	}
	c.Outcome, c.Err = h.Run(ctx, task, h, c)
	if (c.Err != nil) != (c.Outcome == execute.Infrastructure) {
		h.t.Errorf("outcome %s with error %v", c.Outcome, c.Err)
	}
	if strings.Contains(c.ends(), "never") {
		h.t.Errorf("steps without an end: %s", c.ends())
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	h := newFixture(t, nil)
	for _, tc := range []struct {
		name, more, steps, ends string
		outcome                 execute.Outcome
		said                    map[int]string
		task                    execute.Task
	}{
		{
			name: "order and folder", outcome: execute.Success, ends: "0:success 1:success 2:success",
			steps: "      - checkout\n      - run: pwd; cat README; echo more > x\n      - run: cat x >&2; ls\n",
			said: map[int]string{0: "Checked out abc123 to /home/stoa/project\n", 1: "/home/stoa/project\nhello\n",
				2: "more\nREADME\nx\n"},
		},
		{
			name: "failure and when", outcome: execute.Failed, ends: "0:success 1:failed 3:success 4:success 5:success",
			steps: "      - run: echo 1\n      - run: exit 3\n      - run: echo never\n      - run: {command: echo " +
				"failed, when: on_fail}\n      - run: {command: echo always, when: always}\n      - " +
				"store_artifacts: {path: nothing}\n",
			said: map[int]string{3: "failed\n", 4: "always\n",
				5: "Not found: /home/stoa/project/nothing\nFiles uploaded: 0.\n"},
		},
		{
			name: "on_fail without failure", outcome: execute.Success, ends: "0:success 2:success",
			steps: "      - run: 'true'\n      - run: {command: echo no, when: on_fail}\n      - run: echo yes\n",
			said:  map[int]string{2: "yes\n"},
		},
		{name: "pipefail and errexit", outcome: execute.Failed, ends: "0:failed",
			steps: "      - run: false | true; echo not here\n", said: map[int]string{0: ""}},
		{
			name: "environment", outcome: execute.Success, ends: "0:success 1:success",
			more: "    environment: {A: job, B: job}\n",
			steps: "      - run: {command: 'echo $A $B $C $P', environment: {A: step, C: \"it's \\\"quoted\\\" " +
				"$HOME\"}}\n      - run: echo $A $B $C $P\n",
			task: execute.Task{Environment: map[string]string{"B": "project", "P": "project"}},
			said: map[int]string{0: "step job it's \"quoted\" $HOME project\n", 1: "job job project\n"},
		},
		{
			name: "folders", outcome: execute.Success, ends: "0:success 1:success",
			more:  "    working_directory: ~/app\n",
			steps: "      - run: mkdir sub; pwd\n      - run: {command: pwd, working_directory: sub}\n",
			said:  map[int]string{0: "/home/stoa/app\n", 1: "/home/stoa/app/sub\n"},
		},
		{name: "missing folder", outcome: execute.Failed, ends: "0:failed",
			steps: "      - run: {command: pwd, working_directory: no/such}\n"},
		{
			name: "shell", outcome: execute.Success, ends: "0:success 1:success", more: "    shell: /bin/sh -e\n",
			steps: "      - run: echo ${BASH_VERSION:-plain}\n      - run: {command: 'print(6*7)', shell: python3}\n",
			said:  map[int]string{0: "plain\n", 1: "42\n"},
		},
		{
			name: "shared variables", outcome: execute.Success, ends: "0:success 1:success",
			steps: "      - run: echo 'export GREETING=hi' >> $BASH_ENV\n      - run: echo $GREETING\n",
			said:  map[int]string{1: "hi\n"},
		},
		{name: "no line end", outcome: execute.Success, ends: "0:success 1:success",
			steps: "      - run: printf abc\n      - run: printf def\n", said: map[int]string{0: "abc", 1: "def"}},
		{name: "halt", outcome: execute.Success, ends: "0:success",
			steps: "      - run: stoa-agent step halt; echo on\n      - run: exit 1\n      - run: {command: exit " +
				"1, when: always}\n", said: map[int]string{0: "on\n"}},
		{
			name: "rerun", outcome: execute.Success, ends: "0:success",
			steps: "      - run: {command: 'echo try; [ -e ~/f ] || { touch ~/f; exit 1; }', max_auto_reruns: 2}\n",
			said:  map[int]string{0: "try\nThe command ended with code 1; trying again (1 of 2).\ntry\n"},
		},
		{name: "standard input is empty", outcome: execute.Success, ends: "0:success 1:success",
			steps: "      - run: cat; echo end\n      - run: echo next\n",
			said:  map[int]string{0: "end\n", 1: "next\n"}},
		{name: "no descriptors", outcome: execute.Success, ends: "0:success",
			steps: "      - run: ls /proc/self/fd | tr '\\n' ' '\n", said: map[int]string{0: "0 1 2 3 "}},
		{
			name: "later checkout", outcome: execute.Success, ends: "0:success 1:success 2:success",
			steps: "      - run: echo first\n      - checkout: {path: /tmp/there}\n      - run: cat " +
				"/tmp/there/README && touch /tmp/there/README\n",
			said: map[int]string{2: "hello\n"},
		},
		{
			name: "checkout into home", outcome: execute.Success, ends: "0:success 1:success",
			more:  "    working_directory: '~'\n",
			steps: "      - checkout\n      - run: pwd; ls\n", said: map[int]string{1: "/home/stoa\nREADME\n"},
		},
		{name: "removed folder", outcome: execute.Success, ends: "0:success 1:success",
			steps: "      - run: cd /; rm -rf ~/project\n      - run: pwd\n",
			said:  map[int]string{1: "/home/stoa/project\n"}},
		{name: "killed supervisor", outcome: execute.Failed, ends: "0:failed",
			steps: "      - run: kill -9 $PPID; sleep 100\n      - run: {command: echo no, when: always}\n"},
		{
			name: "secrets", outcome: execute.Success, ends: "0:success",
			task:  execute.Task{Secrets: []string{"hunter22", "abc", ""}},
			steps: "      - run: printf hunt; sleep 0.1; printf er22; echo; echo hunter2 xhunter22y abc\n",
			said:  map[int]string{0: "****\nhunter2 x****y abc\n"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.task.Job = job(t, tc.steps, tc.more)
			c := h.run(tc.task)
			if c.Outcome != tc.outcome || c.ends() != tc.ends {
				t.Errorf("outcome %s (%v), steps %s; want %s, %s\n%+v", c.Outcome, c.Err, c.ends(), tc.outcome,
					tc.ends, c.ended)
			}
			for step, want := range tc.said {
				if got := c.text(step); got != want {
					t.Errorf("step %d said %q, want %q", step, got, want)
				}
			}
		})
	}
}

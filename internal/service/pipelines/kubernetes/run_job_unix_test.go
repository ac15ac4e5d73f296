//go:build unix

package kubernetes_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/kubernetes"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

// memory is a Host and a Reporter that keep everything.
type memory struct {
	mu        sync.Mutex
	caches    map[string][]byte
	layers    []byte
	artifacts map[string]string
	output    strings.Builder
	reasons   []string
	started   chan string
}

func (m *memory) Checkout(_ context.Context, dir string) error {
	return errors.Join(os.WriteFile(filepath.Join(dir, "README"), []byte("hello\n"), 0o600),
		os.Symlink("README", filepath.Join(dir, "link")))
}

func (m *memory) SaveCache(_ context.Context, key string, r io.Reader) (err error) {
	m.caches[key], err = io.ReadAll(r)
	return err
}

func (m *memory) RestoreCache(_ context.Context, keys []string) (string, io.ReadCloser, error) {
	for _, key := range keys {
		if content, ok := m.caches[key]; ok {
			return key, io.NopCloser(bytes.NewReader(content)), nil
		}
	}
	return "", nil, nil
}

func (m *memory) Persist(_ context.Context, r io.Reader) (err error) {
	m.layers, err = io.ReadAll(r)
	return err
}

func (m *memory) Attach(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(m.layers)), nil
}

func (m *memory) Artifact(_ context.Context, path string, _ int64, r io.Reader) error {
	content, err := io.ReadAll(r)
	m.artifacts[path] = string(content)
	return err
}

func (m *memory) Tests(context.Context, []execute.TestCase) error { return nil }

func (m *memory) StepStarted(_ context.Context, s execute.StepStart) error {
	if m.started != nil {
		m.started <- s.Name
	}
	return nil
}

func (m *memory) Output(_ context.Context, _ int, _ string, p []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.output.Write(p)
	return nil
}

func (m *memory) StepEnded(_ context.Context, s execute.StepEnd) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reasons = append(m.reasons, s.Reason)
	return nil
}

func newMemory() *memory {
	return &memory{caches: map[string][]byte{}, artifacts: map[string]string{}}
}

// cluster is the server's, with folders that are there.
func (s *apiServer) cluster(t *testing.T, token string, now clock.Clock) *kubernetes.Cluster {
	t.Helper()
	config := kubernetes.DefaultConfig()
	config.Kubeconfig, config.Namespace = s.kubeconfig(token), "builds"
	dir := t.TempDir()
	cluster, err := kubernetes.New(kubernetes.Options{
		Config: config, Timeout: time.Minute, Gate: outbound.New(true), Clock: now, IDs: ids.Random(),
		Home: filepath.Join(dir, "home"), Share: filepath.Join(dir, "share"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

// executor runs jobs at the server.
func (s *apiServer) executor(t *testing.T, token string) *execute.Executor {
	t.Helper()
	limits := execute.DefaultLimits()
	limits.Timeout = time.Minute
	return execute.NewRemote(s.cluster(t, token, clock.Real()), sandbox.New(sandbox.DefaultConfig(), clock.Real()),
		filepath.Join(t.TempDir(), "work"), clock.Real(), limits)
}

// task plans the only job of a configuration.
func task(t *testing.T, text string) execute.Task {
	t.Helper()
	file, err := recipe.Options{Name: "pipeline.yml", Images: true}.Parse([]byte("version: 2.1\njobs:\n  build:\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := file.Plan(recipe.Revision{Branch: "main"})
	if err != nil || len(jobs) != 1 {
		t.Fatalf("the plan: %v, %v", jobs, err)
	}
	return execute.Task{
		Job: jobs[0], Nodes: 1, BuildNum: 7, Revision: "0123",
		Environment: map[string]string{"SECRET": "very-secret-value", "QUOTED": "it's $HOME"},
		Secrets:     []string{"very-secret-value"},
	}
}

const everything = `    docker:
      - image: example.test/tools:1
      - {image: example.test/database:2, environment: {MODE: fast}}
    steps:
      - checkout
      - run: {name: behind, command: "echo from behind; sleep 100", background: true}
      - run: cat link; echo "$QUOTED"; echo "[$SECRET]"; sleep 1
      - run: mkdir -p ~/kept && echo cached > ~/kept/file && echo layer > layer.txt
      - save_cache: {key: k1, paths: [~/kept]}
      - run: rm -r ~/kept
      - restore_cache: {keys: [k1]}
      - run: cat ~/kept/file
      - persist_to_workspace: {root: ., paths: [layer.txt]}
      - attach_workspace: {at: there}
      - checkout: {path: again}
      - run: cat there/layer.txt again/README
      - store_artifacts: {path: layer.txt}
`

func TestAJobRunsInAPod(t *testing.T) {
	t.Parallel()
	s, m := newAPIServer(t), newMemory()
	outcome, err := s.executor(t, token).Run(t.Context(), task(t, everything), m, m)
	printed := m.output.String()
	if outcome != execute.Success || err != nil {
		t.Fatalf("the outcome is %s, %v: %s %q", outcome, err, printed, m.reasons)
	}
	for _, want := range []string{"hello\n", "it's $HOME\n", "cached\n", "layer\n", "from behind"} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is not in the output:\n%s", want, printed)
		}
	}
	if strings.Contains(printed, "very-secret-value") || m.artifacts["layer.txt"] != "layer\n" {
		t.Errorf("the output is %s, the artifacts are %q", printed, m.artifacts)
	}
	object := s.objects[0]
	if strings.Contains(object, "very-secret-value") || !strings.Contains(object, `"image":"example.test/tools:1"`) ||
		!strings.Contains(object, `"env":[{"name":"MODE","value":"fast"}]`) {
		t.Errorf("the Job is %s", object)
	}
	if len(s.pods) != 0 || s.deleted != 1 {
		t.Errorf("%d pods are left, %d Jobs deleted", len(s.pods), s.deleted)
	}
}

// TestAnAPIServerThatIsAway proves that a job outlives an API server that answers nothing for a
// while, and that there is one Job for each node.
func TestAnAPIServerThatIsAway(t *testing.T) {
	t.Parallel()
	s, m := newAPIServer(t), newMemory()
	s.away = 3
	outcome, err := s.executor(t, token).Run(t.Context(), task(t, everything), m, m)
	if outcome != execute.Success || err != nil {
		t.Fatalf("the outcome is %s, %v: %s %q", outcome, err, m.output.String(), m.reasons)
	}
	if s.created != 1 || len(s.pods) != 0 {
		t.Errorf("%d Jobs were made, %d pods are left", s.created, len(s.pods))
	}
	for kind, calls := range s.failed {
		if calls <= s.away {
			t.Errorf("%s was asked %d times, want more than the %d that failed", kind, calls, s.away)
		}
	}
}

// TestAnAPIServerThatStaysAway proves that a job ends when the API server does not come back.
func TestAnAPIServerThatStaysAway(t *testing.T) {
	t.Parallel()
	s := newAPIServer(t)
	s.away = 1_000_000
	now := clock.NewVirtual(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	now.Run(600) // seconds a second
	began := now.Now()
	_, err := s.cluster(t, token, now).Run(t.Context(), &execute.Task{}, sandbox.Spec{})
	if err == nil || !strings.Contains(err.Error(), "no better answer in 2m0s") {
		t.Errorf("the node ended with %v", err)
	}
	if took := now.Now().Sub(began); took < 3*time.Minute || took > 20*time.Minute {
		t.Errorf("making the Job and deleting it were given up after %s, want two minutes each", took)
	}
}

func TestAJobThatIsCanceledIsDeleted(t *testing.T) {
	t.Parallel()
	s, m := newAPIServer(t), newMemory()
	m.started = make(chan string, 10)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-m.started
		cancel(execute.ErrCanceled)
	}()
	outcome, err := s.executor(t, token).Run(ctx, task(t, "    steps: [run: sleep 100]\n"), m, m)
	if outcome != execute.Canceled || err != nil || len(s.pods) != 0 {
		t.Errorf("the outcome is %s, %v, with %d pods", outcome, err, len(s.pods))
	}
}

func TestAShellThatEndsFailsTheJob(t *testing.T) {
	t.Parallel()
	s, m := newAPIServer(t), newMemory()
	outcome, err := s.executor(t, token).Run(t.Context(), task(t, "    steps: [run: kill -9 $PPID; sleep 1]\n"), m, m)
	said := slices.ContainsFunc(m.reasons, func(r string) bool { return strings.Contains(r, "said by the shell itself") })
	if outcome != execute.Failed || err != nil || !said || s.deleted != 1 {
		t.Errorf("the outcome is %s, %v: %q", outcome, err, m.reasons)
	}
}

func TestWhatTheClusterRefusesIsSaid(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, waiting, token, want string
		refuse                     int
	}{
		{name: "image", waiting: "ErrImagePull", token: token, want: "ErrImagePull: as the test wants"},
		{name: "credential", token: "another", want: "401: Unauthorized"},
		{name: "exec", token: token, refuse: http.StatusForbidden, want: "pods/exec is forbidden"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, m := newAPIServer(t), newMemory()
			s.waiting, s.refuse = row.waiting, row.refuse
			outcome, err := s.executor(t, row.token).Run(t.Context(), task(t, "    steps: [run: date]\n"), m, m)
			if outcome != execute.Infrastructure || err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("the outcome is %s, %v", outcome, err)
			}
			if len(s.pods) != 0 {
				t.Errorf("%d pods are left", len(s.pods))
			}
		})
	}
}

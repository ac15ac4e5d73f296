package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"stoa.dev/stoa/test/program"
)

// pipelineFile has jobs for everything that travels between a pod and the server.
const pipelineFile = `version: 2.1
jobs:
  build:
    docker: [image: example.test/tools:1]
    parallelism: 2
    steps:
      - checkout
      - run: echo "node $PIPELINE_NODE_INDEX of $PIPELINE_NODE_TOTAL has $(cat word.txt)"
      - run: mkdir -p ~/kept out && echo kept > ~/kept/file
      - run: echo "from $PIPELINE_NODE_INDEX" > "out/$PIPELINE_NODE_INDEX"
      - save_cache: {key: "kept-{{ .Branch }}", paths: [~/kept]}
      - persist_to_workspace: {root: ., paths: [out]}
      - store_artifacts: {path: out}
  gather:
    steps:
      - restore_cache: {keys: [kept-]}
      - attach_workspace: {at: .}
      - run: {name: beside, command: "while sleep 1; do echo beside; done", background: true}
      - run: cat ~/kept/file out/0 out/1; sleep 3; echo "printed last"
  broken:
    steps:
      - run: echo before; exit 3
  slow:
    steps:
      - run: echo begun; sleep 600
  noisy:
    steps:
      - run: seq 1 200000
workflows:
  main:
    jobs:
      - build
      - gather: {requires: [build]}
`

const (
	projectPath = "/api/v1.1/project/vcs_a/ada/app"
	buildsJobs  = "/apis/batch/v1/namespaces/" + buildsNamespace + "/jobs"
)

// executorTrials are what is tried with jobs in pods.
type executorTrials struct {
	plane   *controlPlane
	kubelet *kubelet
	stoa    *plugin
	token   string
}

// startExecutor starts a server whose jobs run in the cluster.
func (t *executorTrials) startExecutor(ctx context.Context, binary, kubeconfig string) (err error) {
	t.stoa = &plugin{binary: binary, dir: filepath.Join(t.plane.dir, "executor")}
	t.stoa.running, err = program.Start(ctx, program.Options{
		Binary: binary, Data: t.stoa.data(), Env: []string{
			"STOA_PIPELINES_EXECUTOR=kubernetes", "STOA_PIPELINES_KUBERNETES_KUBECONFIG=" + kubeconfig,
			"STOA_PIPELINES_KUBERNETES_NAMESPACE=" + buildsNamespace, "STOA_PIPELINES_KUBERNETES_IMAGE=example.test/default:1",
			"STOA_PIPELINES_REQUESTS_BURST=100000", "STOA_PIPELINES_REQUESTS_SUSTAINED=1000000",
		},
	})
	if err != nil {
		return err
	}
	var ignored, made struct{ Token string }
	if err := t.stoa.command(ctx, "user add",
		map[string][]string{"name": {"ada"}, "password": {"correct horse battery staple"}}, &ignored); err != nil {
		return err
	}
	err = t.stoa.command(ctx, "token issue", map[string][]string{"user": {"ada"}, "service": {"pipelines"}}, &made)
	t.token = made.Token
	return err
}

// importRepository makes the project; its push runs the workflow.
func (t *executorTrials) importRepository(ctx context.Context) error {
	folder := filepath.Join(t.stoa.dir, "app")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"pipeline.yml": pipelineFile, "word.txt": "checked out\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "."},
		{"-c", "user.name=Ada", "-c", "user.email=ada@example.test", "commit", "-q", "-m", "begin"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	var made struct{ Name string }
	return t.stoa.command(ctx, "repo import", map[string][]string{"repo": {"ada/app"}, "folder": {folder}}, &made)
}

// call asks the pipelines API.
func (t *executorTrials) call(ctx context.Context, method, path, body string, answer any) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, t.stoa.running.URL+projectPath+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Pipeline-Token", t.token)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %w", method, path, &statusError{response.StatusCode, string(content)})
	}
	if err == nil && answer != nil {
		err = json.Unmarshal(content, answer)
	}
	return string(content), err
}

type buildAnswer struct {
	BuildNum   int `json:"build_num"`
	Status     string
	Lifecycle  string
	FailReason string `json:"fail_reason"`
	Workflows  struct {
		JobName string `json:"job_name"`
	}
}

// awaitBuild waits until a job has ended.
func (t *executorTrials) awaitBuild(ctx context.Context, number int, want string) (log string, err error) {
	err = await(ctx, 3*time.Minute, fmt.Sprintf("job %d", number), func() error {
		var b buildAnswer
		if _, err := t.call(ctx, http.MethodGet, fmt.Sprintf("/%d", number), "", &b); err != nil {
			return err
		}
		if b.Lifecycle != "finished" {
			return fmt.Errorf("it is %s, %s", b.Lifecycle, b.Status)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if log, err = t.call(ctx, http.MethodGet, fmt.Sprintf("/%d/log", number), "", nil); err != nil {
		return "", err
	}
	var b buildAnswer
	if _, err := t.call(ctx, http.MethodGet, fmt.Sprintf("/%d", number), "", &b); err != nil {
		return "", err
	}
	if b.Status != want {
		return log, fmt.Errorf("job %d is %s (%s):\n%s", number, b.Status, b.FailReason, log)
	}
	return log, nil
}

// begin runs one job by its name.
func (t *executorTrials) begin(ctx context.Context, job string) (int, error) {
	var b buildAnswer
	_, err := t.call(ctx, http.MethodPost, "/tree/main", fmt.Sprintf(`{"job":%q}`, job), &b)
	return b.BuildNum, err
}

func contains(log string, wanted ...string) error {
	var missing []error
	for _, w := range wanted {
		if !strings.Contains(log, w) {
			missing = append(missing, fmt.Errorf("%q is not in the log", w))
		}
	}
	if len(missing) > 0 {
		missing = append(missing, errors.New(log))
	}
	return errors.Join(missing...)
}

// workflow is two jobs, the first with two nodes.
func (t *executorTrials) workflow(ctx context.Context) (string, error) {
	if err := t.importRepository(ctx); err != nil {
		return "", err
	}
	var numbers []buildAnswer
	err := await(ctx, time.Minute, "two jobs", func() error {
		_, err := t.call(ctx, http.MethodGet, "?limit=10", "", &numbers)
		if err == nil && len(numbers) < 2 {
			err = fmt.Errorf("there are %d", len(numbers))
		}
		return err
	})
	if err != nil {
		return "", err
	}
	first, err := t.awaitBuild(ctx, 1, "success")
	if err != nil {
		return "", err
	}
	second, err := t.awaitBuild(ctx, 2, "success")
	if err != nil {
		return "", err
	}
	err = errors.Join(
		contains(first, "image example.test/tools:1", "node 0 of 2 has checked out", "node 1 of 2 has checked out"),
		contains(second, "image example.test/default:1", "kept", "from 0", "from 1", "beside", "printed last"))
	if err != nil {
		return "", err
	}
	artifact, err := t.call(ctx, http.MethodGet, "/1/artifacts/1/out/1", "", nil)
	if err == nil && artifact != "from 1\n" {
		err = fmt.Errorf("the artifact is %q", artifact)
	}
	t.kubelet.mu.Lock()
	defer t.kubelet.mu.Unlock()
	return fmt.Sprintf("3 nodes, %d pods at once; images %v; cache, workspace, artifacts and output arrived",
		t.kubelet.most, t.kubelet.images), err
}

// broken fails with the code of its command.
func (t *executorTrials) broken(ctx context.Context) (string, error) {
	number, err := t.begin(ctx, "broken")
	if err != nil {
		return "", err
	}
	log, err := t.awaitBuild(ctx, number, "failed")
	return "failed, as its command did", errors.Join(err, contains(log, "before"))
}

// noisy prints more than a connection holds at once.
func (t *executorTrials) noisy(ctx context.Context) (string, error) {
	number, err := t.begin(ctx, "noisy")
	if err != nil {
		return "", err
	}
	log, err := t.awaitBuild(ctx, number, "success")
	lines := 0
	for line := range strings.Lines(log) {
		if n := 0; line != "" && line[0] >= '0' && line[0] <= '9' {
			if _, err := fmt.Sscan(line, &n); err == nil && n == lines+1 {
				lines++
			}
		}
	}
	if err == nil && lines != 200000 {
		err = fmt.Errorf("%d lines are in order", lines)
	}
	return fmt.Sprintf("%d lines, all in order", lines), err
}

// canceled is stopped while it prints; its output is read before.
func (t *executorTrials) canceled(ctx context.Context) (string, error) {
	number, err := t.begin(ctx, "slow")
	if err != nil {
		return "", err
	}
	err = await(ctx, time.Minute, "output of a job that runs", func() error {
		log, err := t.call(ctx, http.MethodGet, fmt.Sprintf("/%d/log", number), "", nil)
		if err == nil && !strings.Contains(log, "\nbegun") {
			err = errors.New("it is not there")
		}
		return err
	})
	if err != nil {
		return "", err
	}
	if _, err := t.call(ctx, http.MethodPost, fmt.Sprintf("/%d/cancel", number), "", nil); err != nil {
		return "", err
	}
	if _, err := t.awaitBuild(ctx, number, "canceled"); err != nil {
		return "", err
	}
	return t.nothingLeft(ctx)
}

// killed is a server that dies while a job runs: the pod ends, and its Job is finished.
func (t *executorTrials) killed(ctx context.Context) (string, error) {
	number, err := t.begin(ctx, "slow")
	if err != nil {
		return "", err
	}
	err = await(ctx, time.Minute, "a pod", func() error {
		t.kubelet.mu.Lock()
		defer t.kubelet.mu.Unlock()
		if len(t.kubelet.pods) == 0 {
			return errors.New("there is none")
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if err := rest(ctx, 3*time.Second); err != nil {
		return "", err
	}
	t.stoa.kill()
	err = await(ctx, time.Minute, "the end of the Job", func() error {
		var list struct {
			Items []struct {
				Status struct {
					Conditions []struct{ Type, Status string }
				}
			}
		}
		if err := t.plane.api.do(ctx, http.MethodGet, buildsJobs, nil, &list); err != nil {
			return err
		}
		for _, j := range list.Items {
			if len(j.Status.Conditions) == 0 {
				return errors.New("a Job goes on")
			}
		}
		return nil
	})
	return fmt.Sprintf("job %d: the shell ended with its connection, the Job finished by itself", number), err
}

// nothingLeft says that no pod and no Job is there.
func (t *executorTrials) nothingLeft(ctx context.Context) (string, error) {
	return "no Job, no pod and no process is left", await(ctx, 30*time.Second, "an empty namespace", func() error {
		var jobs, pods struct{ Items []any }
		err := errors.Join(
			t.plane.api.do(ctx, http.MethodGet, buildsJobs, nil, &jobs),
			t.plane.api.do(ctx, http.MethodGet, "/api/v1/namespaces/"+buildsNamespace+"/pods", nil, &pods))
		t.kubelet.mu.Lock()
		defer t.kubelet.mu.Unlock()
		if n := len(jobs.Items) + len(pods.Items) + len(t.kubelet.pods); err == nil && n > 0 {
			err = fmt.Errorf("%d objects and processes are left", n)
		}
		return err
	})
}

func tryExecutor(ctx context.Context, c *controlPlane, binary, controllers string) (err error) {
	if err := c.startControllers(controllers); err != nil {
		return err
	}
	kubeconfig, err := c.account(ctx)
	if err != nil {
		return err
	}
	k := &kubelet{api: c.api, dir: c.dir, serving: c.files}
	if err := k.start(ctx); err != nil {
		return err
	}
	defer k.stop()
	looking, cancel := context.WithCancel(ctx)
	looked := make(chan error, 1)
	go func() { looked <- k.run(looking) }()
	defer func() {
		cancel()
		err = errors.Join(err, <-looked)
	}()
	t := &executorTrials{plane: c, kubelet: k}
	if err := t.startExecutor(ctx, binary, kubeconfig); err != nil {
		return err
	}
	defer t.stoa.kill()
	return runTrials(ctx, []trial{
		{"workflow of two jobs, the first with two nodes", t.workflow},
		{"nothing is left", t.nothingLeft},
		{"a job whose command fails", t.broken},
		{"a job that prints 200,000 lines", t.noisy},
		{"a job that is canceled while it runs", t.canceled},
		{"kill -9 of the server while a job runs", t.killed},
	})
}

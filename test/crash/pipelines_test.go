package crash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/program"
)

// jobRun is a server whose jobs are interrupted.
type jobRun struct {
	binary, data  string
	jobs, kills   int
	token, target string
	process       *program.Process
	// config is the pipeline.yml, args and env are those of the server.
	config    string
	args, env []string
	// keeps is how many artifacts a job that succeeded has.
	keeps int
}

// shortJobs fits into every run; STOA_CRASH_FULL=1 asks for a hundred jobs.
func shortJobs(binary, data string) *jobRun {
	r := &jobRun{
		binary: binary, data: data, jobs: 16, kills: 2, config: killedPipeline, keeps: 1,
		args: []string{"--demo"}, env: []string{"STOA_PIPELINES_CONCURRENCY=8"},
	}
	if full() {
		r.jobs, r.kills = 100, 5
	}
	return r
}

// killedPipeline leaves a mark, works for a moment and leaves another.
const killedPipeline = `version: 2
jobs:
  build:
    steps:
      - run: echo begun; sleep 0.3; echo done > mark.txt
      - store_artifacts:
          path: mark.txt
`

// TestKillJobs kills the server while jobs run. Every job that was accepted
// ends in a final state; work that was interrupted is marked and, once, run
// again by another job; what succeeded has done so once.
func TestKillJobs(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := shortJobs(binary, t.TempDir())
	r.start(t)
	r.push(t)
	accepted := []int64{}
	for i := range r.jobs {
		accepted = append(accepted, r.trigger(t))
		if i%(r.jobs/(r.kills+1)+1) == r.jobs/(r.kills+1) {
			r.restart(t)
		}
	}
	for range r.kills {
		r.awaitRunning(t)
		r.restart(t)
	}
	all := r.settle(t)
	r.audit(t, accepted, all)
}

func (r *jobRun) start(t *testing.T) {
	t.Helper()
	p, err := program.Start(t.Context(), program.Options{
		Binary: r.binary, Data: r.data, Args: r.args,
		Env: append([]string{
			"STOA_LOG_LEVEL=error", "STOA_PIPELINES_REQUESTS_BURST=1000000", "STOA_PIPELINES_REQUESTS_SUSTAINED=1000000",
		}, r.env...),
	})
	if err != nil {
		t.Fatalf("the server does not come back: %v", err)
	}
	t.Cleanup(p.Kill)
	env, err := program.DemoEnv(r.data)
	if err != nil {
		t.Fatal(err)
	}
	r.process, r.token, r.target = p, env["STOA_PIPELINE_TOKEN"], "/api/v1.1/project/vcs_a/"+env["STOA_REPO"]
}

func (r *jobRun) restart(t *testing.T) {
	t.Helper()
	r.process.Kill()
	r.start(t)
}

// push replaces the demo's configuration.
func (r *jobRun) push(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	address := strings.Replace(r.process.URL, "http://", "http://x:"+r.token+"@", 1) + "/git/" +
		strings.TrimPrefix(r.target, "/api/v1.1/project/vcs_a/") + ".git"
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("clone", "-q", address, ".")
	if err := os.WriteFile(filepath.Join(dir, "pipeline.yml"), []byte(r.config), 0o600); err != nil {
		t.Fatal(err)
	}
	git("commit", "-q", "-a", "-m", "work for a moment [skip ci]")
	git("push", "-q", address, "HEAD:main")
}

// job is what the audit looks at.
type job struct {
	Num       int64   `json:"build_num"`
	Lifecycle string  `json:"lifecycle"`
	Outcome   string  `json:"outcome"`
	Status    string  `json:"status"`
	RetryOf   int64   `json:"retry_of"`
	Retries   []int64 `json:"retries"`
	Stop      *string `json:"stop_time"`
}

// call sends a request. A word after the path is the job that is wished for.
func (r *jobRun) call(t *testing.T, method, path string, want int, into any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	path, wish, _ := strings.Cut(path, " ")
	body := ""
	if wish != "" {
		body = `{"job":"` + wish + `"}`
	}
	request, err := http.NewRequestWithContext(ctx, method, r.process.URL+r.target+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Pipeline-Token", r.token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != want {
		t.Fatalf("%s %s: got %d %s", method, path, answer.StatusCode, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func (r *jobRun) trigger(t *testing.T) int64 {
	t.Helper()
	var made job
	r.call(t, "POST", "", http.StatusCreated, &made)
	return made.Num
}

// list reads every job of the project.
func (r *jobRun) list(t *testing.T) []job {
	t.Helper()
	var all []job
	for {
		var page []job
		r.call(t, "GET", fmt.Sprintf("?limit=100&offset=%d", len(all)), http.StatusOK, &page)
		if all = append(all, page...); len(page) < 100 {
			return all
		}
	}
}

// awaitRunning waits until there is something to interrupt, or nothing left.
func (r *jobRun) awaitRunning(t *testing.T) {
	t.Helper()
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		open := 0
		for _, j := range r.list(t) {
			if j.Lifecycle == "running" {
				return
			}
			if j.Lifecycle == "queued" {
				open++
			}
		}
		if open == 0 {
			return
		}
	}
}

// settle waits until every job has ended.
func (r *jobRun) settle(t *testing.T) []job {
	t.Helper()
	for until := time.Now().Add(3 * time.Minute); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		all, open := r.list(t), 0
		for _, j := range all {
			if j.Lifecycle != "finished" && j.Lifecycle != "not_run" {
				open++
			}
		}
		if open == 0 {
			return all
		}
	}
	t.Fatalf("jobs are still open: %+v\n%s", r.list(t), r.process.Output())
	return nil
}

// audit follows every accepted job to its end.
func (r *jobRun) audit(t *testing.T, accepted []int64, all []job) {
	t.Helper()
	byNum := map[int64]job{}
	counts := map[string]int{}
	for _, j := range all {
		if _, twice := byNum[j.Num]; twice {
			t.Errorf("number %d was given out twice", j.Num)
		}
		byNum[j.Num] = j
		counts[j.Status]++
	}
	for _, num := range accepted {
		j, ok := byNum[num]
		if !ok {
			t.Errorf("job %d was accepted and is gone", num)
			continue
		}
		r.follow(t, j, byNum)
	}
	t.Logf("%d jobs accepted, %d in all: %v", len(accepted), len(all), counts)
	if counts["retried"] == 0 {
		t.Error("no job was interrupted; the kills came at the wrong time")
	}
}

// follow checks that a job ended once, or was interrupted and led to another.
func (r *jobRun) follow(t *testing.T, j job, byNum map[int64]job) {
	t.Helper()
	switch {
	case j.Stop == nil:
		t.Errorf("job %d has no end: %+v", j.Num, j)
	case j.Outcome == "success":
		var kept []struct{ Path string }
		r.call(t, "GET", fmt.Sprintf("/%d/artifacts", j.Num), http.StatusOK, &kept)
		if len(j.Retries) != 0 || len(kept) != r.keeps {
			t.Errorf("job %d succeeded with retries %v and artifacts %v, want none and %d", j.Num, j.Retries, kept, r.keeps)
		}
	case j.Status == "retried":
		if len(j.Retries) != 1 || byNum[j.Retries[0]].RetryOf != j.Num {
			t.Fatalf("job %d was interrupted and leads to %v", j.Num, j.Retries)
		}
		r.follow(t, byNum[j.Retries[0]], byNum)
	case j.Status == "infrastructure_fail":
		if j.RetryOf == 0 || len(j.Retries) != 0 {
			t.Errorf("job %d broke without having been tried again: %+v", j.Num, j)
		}
	default:
		t.Errorf("job %d ended as %s", j.Num, j.Status)
	}
}

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
	"slices"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/test/bench/drive"
)

// bareBuildsWord makes this program a bare server of jobs.
const bareBuildsWord = "bare-builds-server"

// pipelinesRows: G's list of thirty jobs against the same list encoded bare,
// and what it takes to run jobs.
func pipelinesRows() []row {
	return []row{
		{name: "G: GET 30 jobs, 16 clients, against a bare list", run: (*bench).pipelinesList, atLeast: 0.4},
		{name: "G: git push to running job, p99", run: (*bench).pipelinesPush, atMost: 300, unit: "ms"},
		{name: "G: trivial jobs through the queue and the sandbox", run: (*bench).pipelinesJobs, perSec: 50},
		{name: "G: output of a job, MB", run: (*bench).pipelinesOutput, perSec: 50},
	}
}

const benchPipeline = `version: 2
jobs:
  build:
    steps:
      - run: "true"
  chatty:
    steps:
      - run: yes 'a line of a log, as long as the lines of logs usually are, give or take' | head -c 60000000
workflows:
  version: 2
  main:
    jobs:
      - build
`

// builder is a server with a repository, and a working copy of it.
type builder struct {
	*ours
	token, copy string
}

const benchProject = "/api/v1.1/project/vcs_a/bench/porch"

// startPipelines serves a folder with one user, one repository and one push.
func (b *bench) startPipelines(ctx context.Context, name string, env ...string) (_ *builder, err error) {
	o, err := b.startOurs(ctx, b.folder(name), append(env,
		"STOA_PIPELINES_REQUESTS_BURST=1000000000", "STOA_PIPELINES_REQUESTS_SUSTAINED=1000000000",
		"STOA_PIPELINES_CONCURRENCY=8")...)
	if err != nil {
		return nil, err
	}
	p := &builder{ours: o, copy: b.folder(name + "-copy")}
	defer func() {
		if err != nil {
			o.close()
		}
	}()
	if p.token, err = o.member(ctx, "pipelines"); err != nil {
		return nil, err
	}
	if _, err = o.issue(ctx, "repo create", "", map[string][]string{"repo": {"bench/porch"}}); err != nil {
		return nil, err
	}
	if err = os.MkdirAll(p.copy, 0o755); err != nil {
		return nil, err
	}
	if err = os.WriteFile(filepath.Join(p.copy, "pipeline.yml"), []byte(benchPipeline), 0o600); err != nil {
		return nil, err
	}
	if err = errors.Join(p.git(ctx, "init", "-q", "-b", "main"), p.git(ctx, "add", ".")); err != nil {
		return nil, err
	}
	if err = p.push(ctx); err != nil {
		return nil, err
	}
	_, err = p.await(ctx, 1, "finished")
	return p, err
}

func (p *builder) git(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "git",
		append([]string{"-c", "user.name=b", "-c", "user.email=b@example.com"}, args...)...)
	cmd.Dir, cmd.Env = p.copy, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %v: %w: %s", args, err, out)
	}
	return nil
}

// push commits and pushes. It returns when the server has acknowledged.
func (p *builder) push(ctx context.Context) error {
	if err := p.git(ctx, "commit", "-q", "--allow-empty", "-m", "one more"); err != nil {
		return err
	}
	return p.git(ctx, "push", "-q", strings.Replace(p.URL, "http://", "http://x:"+p.token+"@", 1)+"/git/bench/porch.git",
		"HEAD:main")
}

// build is what the measurements look at.
type build struct {
	Num       int64  `json:"build_num"`
	Lifecycle string `json:"lifecycle"`
	Outcome   string `json:"outcome"`
	Queued    string `json:"usage_queued_at"`
	Start     string `json:"start_time"`
	Steps     []struct {
		Name    string `json:"name"`
		Actions []struct {
			Millis int64 `json:"run_time_millis"`
		} `json:"actions"`
	} `json:"steps"`
}

func (p *builder) call(ctx context.Context, method, path, body string, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, p.URL+benchProject+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Pipeline-Token", p.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s %s", method, path, answer.Status, text)
	}
	return json.Unmarshal(text, into)
}

// await asks for a job until it has come so far.
func (p *builder) await(ctx context.Context, num int64, lifecycle string) (b build, err error) {
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(2 * time.Millisecond) {
		err = p.call(ctx, "GET", fmt.Sprintf("/%d", num), "", &b)
		if err == nil && (b.Lifecycle == lifecycle || b.Lifecycle == "finished") {
			return b, nil
		}
	}
	return b, fmt.Errorf("job %d does not become %s: %+v, %w", num, lifecycle, b, err)
}

// trigger asks for jobs and returns their numbers.
func (p *builder) trigger(ctx context.Context, count, clients int, body string) ([]int64, error) {
	var (
		mu     sync.Mutex
		nums   []int64
		failed error
		work   sync.WaitGroup
	)
	for c := range clients {
		work.Go(func() {
			for i := c; i < count; i += clients {
				var made build
				err := p.call(ctx, "POST", "", body, &made)
				mu.Lock()
				nums, failed = append(nums, made.Num), errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	work.Wait()
	return nums, failed
}

func (b *bench) pipelinesList(ctx context.Context) ([]result, error) {
	p, err := b.startPipelines(ctx, "pipelines-list")
	if err != nil {
		return nil, err
	}
	defer p.close()
	nums, err := p.trigger(ctx, 30, 4, "{}")
	if err != nil {
		return nil, err
	}
	for _, num := range nums {
		if _, err := p.await(ctx, num, "finished"); err != nil {
			return nil, err
		}
	}
	var list json.RawMessage
	if err := p.call(ctx, "GET", "", "", &list); err != nil {
		return nil, err
	}
	bare, stop, err := startBareAs(ctx, bareBuildsWord, string(list))
	if err != nil {
		return nil, err
	}
	defer stop()
	against := func(address string) drive.Load {
		text := strings.Replace(string(drive.Request("GET", benchProject, address, p.token, "")), "\r\n\r\n",
			"\r\nAccept: application/json\r\n\r\n", 1)
		return b.load(address, 16, func(int) drive.Source { return drive.Constant([]byte(text)) })
	}
	c, err := compare(ctx, b.rounds, against(bare), against(p.address()))
	if err != nil {
		return nil, err
	}
	return []result{ratioResult(c)}, nil
}

// pipelinesPush measures from the acknowledged push to the start of its job.
func (b *bench) pipelinesPush(ctx context.Context) ([]result, error) {
	p, err := b.startPipelines(ctx, "pipelines-push")
	if err != nil {
		return nil, err
	}
	defer p.close()
	var all []time.Duration
	for num := int64(2); num < 22; num++ {
		if err := p.push(ctx); err != nil {
			return nil, err
		}
		pushed := time.Now()
		if _, err := p.await(ctx, num, "running"); err != nil {
			return nil, err
		}
		all = append(all, time.Since(pushed))
		if _, err := p.await(ctx, num, "finished"); err != nil {
			return nil, err
		}
	}
	slices.Sort(all)
	p99 := all[len(all)-1]
	return []result{{value: float64(p99.Microseconds()) / 1000, p50: all[len(all)/2], p99: p99, judged: true}}, nil
}

// pipelinesJobs measures how many jobs that do nothing get done.
func (b *bench) pipelinesJobs(ctx context.Context) ([]result, error) {
	p, err := b.startPipelines(ctx, "pipelines-jobs")
	if err != nil {
		return nil, err
	}
	defer p.close()
	const count = 200
	began := time.Now()
	nums, err := p.trigger(ctx, count, 8, "{}")
	if err != nil {
		return nil, err
	}
	slices.Sort(nums)
	for _, num := range nums {
		done, err := p.await(ctx, num, "finished")
		if err != nil {
			return nil, err
		}
		if done.Outcome != "success" {
			return nil, fmt.Errorf("job %d ended as %s", num, done.Outcome)
		}
	}
	return []result{{rate: count / time.Since(began).Seconds(), judged: true}}, nil
}

// pipelinesOutput measures how fast a job can print and be read back.
func (b *bench) pipelinesOutput(ctx context.Context) ([]result, error) {
	p, err := b.startPipelines(ctx, "pipelines-output")
	if err != nil {
		return nil, err
	}
	defer p.close()
	nums, err := p.trigger(ctx, 1, 1, `{"job":"chatty"}`)
	if err != nil {
		return nil, err
	}
	done, err := p.await(ctx, nums[0], "finished")
	if err != nil {
		return nil, err
	}
	last := done.Steps[len(done.Steps)-1].Actions[0]
	return []result{{rate: 60e6 / 1e6 / (float64(last.Millis) / 1000), judged: true}}, nil
}

// bareBuild has the members of a job's summary.
type bareBuild struct {
	VCSURL            string         `json:"vcs_url"`
	BuildURL          string         `json:"build_url"`
	Num               int64          `json:"build_num"`
	Branch            string         `json:"branch"`
	Revision          string         `json:"vcs_revision"`
	Tag               *string        `json:"vcs_tag"`
	VCS               string         `json:"vcs_type"`
	Username          string         `json:"username"`
	Reponame          string         `json:"reponame"`
	Subject           string         `json:"subject"`
	Body              string         `json:"body"`
	CommitterName     string         `json:"committer_name"`
	CommitterEmail    string         `json:"committer_email"`
	CommitterDate     string         `json:"committer_date"`
	AuthorName        string         `json:"author_name"`
	AuthorEmail       string         `json:"author_email"`
	AuthorDate        string         `json:"author_date"`
	Compare           *string        `json:"compare"`
	PullRequests      []struct{}     `json:"pull_requests"`
	Why               string         `json:"why"`
	DontBuild         *string        `json:"dont_build"`
	PushedAt          string         `json:"pushed_at"`
	UsageQueuedAt     string         `json:"usage_queued_at"`
	QueuedAt          string         `json:"queued_at"`
	StartTime         string         `json:"start_time"`
	StopTime          string         `json:"stop_time"`
	Millis            int64          `json:"build_time_millis"`
	Lifecycle         string         `json:"lifecycle"`
	Outcome           string         `json:"outcome"`
	Status            string         `json:"status"`
	RetryOf           *int64         `json:"retry_of"`
	Retries           []int64        `json:"retries"`
	Previous          *bareReference `json:"previous"`
	PreviousSuccess   *bareReference `json:"previous_successful_build"`
	Parallel          int64          `json:"parallel"`
	FailReason        *string        `json:"fail_reason"`
	Canceler          *struct{}      `json:"canceler"`
	Failed            bool           `json:"failed"`
	TimedOut          bool           `json:"timedout"`
	Canceled          bool           `json:"canceled"`
	Infrastructure    bool           `json:"infrastructure_fail"`
	OSS               bool           `json:"oss"`
	SSHDisabled       bool           `json:"ssh_disabled"`
	NoDependencyCache bool           `json:"no_dependency_cache"`
	FirstGreen        bool           `json:"is_first_green_build"`
	JobName           string         `json:"job_name"`
	Fleet             string         `json:"fleet"`
	Platform          string         `json:"platform"`
	HasArtifacts      bool           `json:"has_artifacts"`
	User              bareUser       `json:"user"`
	Workflows         bareWorkflow   `json:"workflows"`
	Parameters        struct{}       `json:"build_parameters"`
}

type bareReference struct {
	Status string `json:"status"`
	Num    int64  `json:"build_num"`
}

type bareUser struct {
	IsUser bool    `json:"is_user"`
	Login  string  `json:"login"`
	Avatar *string `json:"avatar_url"`
	Name   string  `json:"name"`
	VCS    string  `json:"vcs_type"`
	ID     int64   `json:"id"`
}

type bareWorkflow struct {
	JobName     string   `json:"job_name"`
	JobID       string   `json:"job_id"`
	ID          string   `json:"workflow_id"`
	WorkspaceID string   `json:"workspace_id"`
	Upstream    []string `json:"upstream_job_ids"`
	Concurrency struct{} `json:"upstream_concurrency_map"`
	Name        string   `json:"workflow_name"`
}

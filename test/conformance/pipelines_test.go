package conformance_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

// pipelineYML has a job for every way to end.
const pipelineYML = `version: 2
jobs:
  build:
    steps:
      - checkout
      - run: echo "built $PIPELINE_BRANCH" > report.txt
      - store_artifacts:
          path: report.txt
  broken:
    steps:
      - run: exit 1
  slow:
    steps:
      - run: sleep 600
  silent:
    steps:
      - run:
          command: sleep 600
          no_output_timeout: 1s
  empty:
    steps:
      - checkout
workflows:
  version: 2
  main:
    jobs:
      - build
`

// pipelineServer is a server with users, repositories and a git client.
type pipelineServer struct {
	*conformance.Server
	ada, grace string
	dir        string
}

const stoaProject = "/api/v1.1/project/vcs_a/ada/stoa"

func openPipelines(t *testing.T, open opener, configure func(*app.Config)) *pipelineServer {
	t.Helper()
	h := &pipelineServer{Server: open(t, conformance.Options{Configure: configure}), dir: t.TempDir()}
	h.User(t, "ada")
	h.User(t, "grace")
	h.ada, h.grace = h.Token(t, "ada", "pipelines"), h.Token(t, "grace", "pipelines")
	h.Command(t, "repo create", map[string][]string{"repo": {"ada/stoa"}})
	h.git(t, "init", "-q", "-b", "main")
	h.push(t, "ada/stoa", "main", "first")
	return h
}

func (h *pipelineServer) git(t *testing.T, args ...string) {
	t.Helper()
	cmd, began := exec.Command("git", args...), conformance.Began().Format(time.RFC3339)
	cmd.Dir = h.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada",
		"GIT_COMMITTER_EMAIL=ada@example.com", "GIT_AUTHOR_DATE=" + began, "GIT_COMMITTER_DATE=" + began,
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// push commits the configuration and pushes it to a branch.
func (h *pipelineServer) push(t *testing.T, repo, branch, message string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, "pipeline.yml"), []byte(pipelineYML), 0o600); err != nil {
		t.Fatal(err)
	}
	h.git(t, "add", ".")
	h.git(t, "commit", "-q", "--allow-empty", "-m", message)
	h.git(t, "push", "-q", strings.Replace(h.URL, "http://", "http://x:"+h.ada+"@", 1)+"/git/"+repo+".git",
		"HEAD:refs/heads/"+branch)
}

func (h *pipelineServer) call(t *testing.T, method, path, token, body string) *conformance.Answer {
	t.Helper()
	header := http.Header{"Accept": {"application/json"}}
	if token != "" {
		header.Set("Pipeline-Token", token)
	}
	return h.Do(t, conformance.Call{Method: method, Path: path, Body: body, Header: header})
}

func (h *pipelineServer) get(t *testing.T, path string) map[string]any {
	t.Helper()
	return h.call(t, "GET", path, h.ada, "").Want(t, 200).Object(t)
}

func (h *pipelineServer) list(t *testing.T, path string) []map[string]any {
	t.Helper()
	return entries(t, h.call(t, "GET", path, h.ada, "").Want(t, 200))
}

// trigger runs one job and returns its summary.
func (h *pipelineServer) trigger(t *testing.T, branch, body string) map[string]any {
	t.Helper()
	return h.call(t, "POST", stoaProject+"/tree/"+branch, h.ada, body).Want(t, 200, 201).Object(t)
}

// ended waits until a job has ended; jobs run in real time.
func (h *pipelineServer) ended(t *testing.T, num int64) map[string]any {
	t.Helper()
	return h.until(t, num, func(o map[string]any) bool {
		return o["lifecycle"] == "finished" || o["lifecycle"] == "not_run"
	})
}

func (h *pipelineServer) until(t *testing.T, num int64, good func(map[string]any) bool) map[string]any {
	t.Helper()
	guard := time.After(60 * time.Second)
	for {
		a := h.Do(t, conformance.Call{
			Path: fmt.Sprintf("%s/%d", stoaProject, num), Again: true,
			Header: http.Header{"Accept": {"application/json"}, "Pipeline-Token": {h.ada}},
		})
		if a.Status == http.StatusOK {
			if o := a.Object(t); good(o) {
				return o
			}
		}
		select {
		case <-guard:
			t.Fatalf("job %d does not come so far: %v", num, a)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// pipelineRows need jobs that really run.
func pipelineRows(t *testing.T, open opener) {
	t.Helper()
	h := openPipelines(t, open, manyRequests)
	first := h.ended(t, 1)
	for _, job := range []string{"broken", "silent", "empty"} {
		o := h.trigger(t, "main", `{"job":"`+job+`"}`)
		h.ended(t, conformance.Integer(t, o, "build_num"))
	}
	t.Run("G-01", func(t *testing.T) { pipelineVCS(t, h) })
	t.Run("G-02", func(t *testing.T) {
		pipelineWords(t, h, "lifecycle", "queued", "not_run", "not_running", "running", "finished")
	})
	t.Run("G-03", func(t *testing.T) {
		pipelineWords(t, h, "outcome", "canceled", "infrastructure_fail", "timedout", "failed", "no_tests",
			"success")
		for num, want := range conformance.InOrder(map[int64]string{
			1: "success", 2: "failed", 3: "timedout", 4: "no_tests",
		}) {
			if o := h.ended(t, num); o["outcome"] != want {
				t.Errorf("job %d: got %v (%v), want %s", num, o["outcome"], o["fail_reason"], want)
			}
		}
	})
	t.Run("G-04", func(t *testing.T) {
		pipelineWords(t, h, "status", "retried", "canceled", "infrastructure_fail", "timedout", "not_run",
			"running", "failed",
			"queued", "not_running", "no_tests", "fixed", "success")
	})
	t.Run("G-09", func(t *testing.T) { pipelineOrigin(t, first) })
	t.Run("G-10", func(t *testing.T) { pipelineRun(t, h, first) })
	t.Run("G-11", func(t *testing.T) {
		for _, name := range []string{"failed", "timedout", "canceled", "infrastructure_fail", "oss",
			"ssh_disabled", "no_dependency_cache", "is_first_green_build"} {
			if _, ok := conformance.Member(t, first, name).(bool); !ok {
				t.Errorf("%s is %T, want a boolean", name, first[name])
			}
		}
	})
	t.Run("G-12", func(t *testing.T) { pipelineSurroundings(t, first) })
	t.Run("G-17", func(t *testing.T) { pipelineFilters(t, h) })
	t.Run("G-21", func(t *testing.T) {
		o := h.get(t, stoaProject+"/1")
		if conformance.Integer(t, o, "build_num") != 1 || len(o) < 50 {
			t.Errorf("got %d members: %v", len(o), o)
		}
	})
	t.Run("G-22", func(t *testing.T) { pipelineArtifacts(t, h) })
	t.Run("G-25", func(t *testing.T) { pipelineRetry(t, h) })
	t.Run("G-26", func(t *testing.T) { pipelineCancel(t, h) })
	t.Run("G-27", func(t *testing.T) {
		before, _ := h.get(t, stoaProject+"/1")["ssh_users"].([]any)
		h.call(t, "POST", stoaProject+"/1/ssh-users", h.ada, "").Want(t, 200)
		after, _ := h.get(t, stoaProject+"/1")["ssh_users"].([]any)
		if len(after) != len(before)+1 {
			t.Errorf("ssh_users: %v became %v", before, after)
		}
	})
	t.Run("G-28", func(t *testing.T) {
		o := h.trigger(t, "main", `{"build_parameters":{"COLOUR":"green"}}`)
		if conformance.Text(t, o, "branch") != "main" || conformance.Text(t, o, "build_parameters",
			"COLOUR") != "green" {
			t.Errorf("got %v", o)
		}
		if done := h.ended(t, conformance.Integer(t, o, "build_num")); done["outcome"] != "success" {
			t.Errorf("the job: %v, %v", done["outcome"], done["fail_reason"])
		}
	})
	t.Run("G-43", func(t *testing.T) { pipelineWebhook(t, open) })
}

func pipelineVCS(t *testing.T, h *pipelineServer) {
	for _, vcs := range []string{"vcs_a", "vcs_b"} {
		list := h.list(t, "/api/v1.1/project/"+vcs+"/ada/stoa")
		if len(list) == 0 || conformance.Text(t, list[0], "vcs_type") != vcs {
			t.Errorf("%s: got %v", vcs, list)
		}
	}
	h.call(t, "GET", "/api/v1.1/project/vcs_c/ada/stoa", h.ada, "").Refused(t)
}

// pipelineWords checks that every job says one of the words.
func pipelineWords(t *testing.T, h *pipelineServer, member string, words ...string) {
	t.Helper()
	for _, o := range h.list(t, stoaProject+"?limit=100") {
		if o["lifecycle"] != "finished" && member == "outcome" {
			continue
		}
		if got := conformance.Text(t, o, member); !slices.Contains(words, got) {
			t.Errorf("%s: got %q, want one of %v", member, got, words)
		}
	}
}

func pipelineOrigin(t *testing.T, o map[string]any) {
	for _, name := range []string{
		"vcs_url", "build_url", "vcs_revision", "vcs_type", "username", "reponame", "committer_name", "committer_email",
		"committer_date", "author_name", "author_email", "author_date", "subject", "body", "branch",
	} {
		conformance.Text(t, o, name)
	}
	conformance.Integer(t, o, "build_num")
	for _, name := range []string{"vcs_tag", "compare", "pull_requests"} {
		conformance.Member(t, o, name)
	}
	if o["subject"] != "first" || o["author_email"] != "ada@example.com" || o["branch"] != "main" {
		t.Errorf("got %v", o)
	}
}

func pipelineRun(t *testing.T, h *pipelineServer, o map[string]any) {
	for _, name := range []string{"why", "queued_at", "usage_queued_at", "start_time", "stop_time", "lifecycle",
		"outcome", "status"} {
		conformance.Text(t, o, name)
	}
	for _, name := range []string{"dont_build", "retry_of", "retries", "previous", "previous_successful_build",
		"fail_reason", "canceler"} {
		conformance.Member(t, o, name)
	}
	conformance.Integer(t, o, "build_time_millis")
	conformance.Integer(t, o, "parallel")
	again := h.call(t, "POST", stoaProject+"/4/retry", h.ada, "").Want(t, 200).Object(t)
	if conformance.Integer(t, again, "retry_of") != 4 {
		t.Errorf("a retried job: %v", again)
	}
	if done := h.ended(t, conformance.Integer(t, again, "build_num")); conformance.Integer(t, done, "previous",
		"build_num") != 4 {
		t.Errorf("previous: %v", done["previous"])
	}
}

func pipelineSurroundings(t *testing.T, o map[string]any) {
	for _, name := range []string{"node", "fleet", "platform"} {
		conformance.Member(t, o, name)
	}
	for _, name := range []string{"messages", "ssh_users"} {
		if _, ok := conformance.Member(t, o, name).([]any); !ok {
			t.Errorf("%s is %T, want a list", name, o[name])
		}
	}
	conformance.Sub(t, o, "build_parameters")
	if conformance.Text(t, o, "job_name") != "build" || conformance.Text(t, o, "pipeline_yml",
		"string") != pipelineYML {
		t.Errorf("job %v, configuration %v", o["job_name"], o["pipeline_yml"])
	}
	conformance.Only(t, conformance.Sub(t, o, "user"), "is_user", "login", "avatar_url", "name", "vcs_type", "id")
	conformance.Only(t, conformance.Sub(t, o, "workflows"), "job_name", "job_id", "workflow_id", "workspace_id",
		"upstream_job_ids",
		"upstream_concurrency_map", "workflow_name")
}

func pipelineFilters(t *testing.T, h *pipelineServer) {
	slow := conformance.Integer(t, h.trigger(t, "main", `{"job":"slow"}`), "build_num")
	h.until(t, slow, func(o map[string]any) bool { return o["lifecycle"] == "running" })
	for filter, good := range conformance.InOrder(map[string]func(map[string]any) bool{
		"completed":  func(o map[string]any) bool { return o["lifecycle"] == "finished" },
		"successful": func(o map[string]any) bool { return o["outcome"] == "success" },
		"failed":     func(o map[string]any) bool { return o["lifecycle"] == "finished" && o["outcome"] != "success" },
		"running":    func(o map[string]any) bool { return o["lifecycle"] == "running" },
	}) {
		list := h.list(t, stoaProject+"?limit=100&filter="+filter)
		if len(list) == 0 {
			t.Errorf("%s: nothing", filter)
		}
		for _, o := range list {
			if !good(o) {
				t.Errorf("%s: got %v %v", filter, o["lifecycle"], o["outcome"])
			}
		}
	}
	h.call(t, "GET", stoaProject+"?filter=odd", h.ada, "").Refused(t)
	h.call(t, "POST", fmt.Sprintf("%s/%d/cancel", stoaProject, slow), h.ada, "").Want(t, 200)
}

func pipelineArtifacts(t *testing.T, h *pipelineServer) {
	list := h.list(t, stoaProject+"/1/artifacts")
	if len(list) != 1 || conformance.Text(t, list[0], "path") != "report.txt" ||
		conformance.Integer(t, list[0], "node_index") != 0 {
		t.Fatalf("got %v", list)
	}
	path := strings.TrimPrefix(conformance.Text(t, list[0], "url"), h.URL)
	if a := h.call(t, "GET", path, h.ada, "").Want(t, 200); string(a.Body) != "built main\n" {
		t.Errorf("the file: %q", a.Body)
	}
}

func pipelineRetry(t *testing.T, h *pipelineServer) {
	o := h.call(t, "POST", stoaProject+"/1/retry", h.ada, "").Want(t, 200).Object(t)
	num := conformance.Integer(t, o, "build_num")
	if num < 2 || conformance.Integer(t, o, "retry_of") != 1 {
		t.Errorf("got %v", o)
	}
	if done := h.ended(t, num); done["outcome"] != "success" {
		t.Errorf("the retried job: %v", done["outcome"])
	}
}

func pipelineCancel(t *testing.T, h *pipelineServer) {
	num := conformance.Integer(t, h.trigger(t, "main", `{"job":"slow"}`), "build_num")
	h.until(t, num, func(o map[string]any) bool { return o["lifecycle"] == "running" })
	o := h.call(t, "POST", fmt.Sprintf("%s/%d/cancel", stoaProject, num), h.ada, "").Want(t, 200).Object(t)
	if o["status"] != "canceled" || o["outcome"] != "canceled" || o["canceled"] != true ||
		conformance.Text(t, o, "canceler", "login") != "ada" {
		t.Errorf("got %v", o)
	}
	if o := h.get(t, fmt.Sprintf("%s/%d", stoaProject, num)); o["lifecycle"] != "finished" ||
		o["status"] != "canceled" {
		t.Errorf("afterwards: %v %v", o["lifecycle"], o["status"])
	}
}

// pipelineOperationRows need no job to run.
func pipelineOperationRows(t *testing.T, open opener) {
	t.Helper()
	h := openPipelines(t, open, func(c *app.Config) {
		c.Pipelines.Concurrency = 0
		c.Pipelines.Requests.Burst, c.Pipelines.Requests.Sustained = 1_000_000, 1_000_000
	})
	h.until(t, 1, func(map[string]any) bool { return true })
	t.Run("G-05", func(t *testing.T) {
		if got := conformance.Text(t, h.get(t, "/api/v1.1/me"),
			"basic_email_prefs"); !slices.Contains([]string{"smart", "none", "all"}, got) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("G-06", func(t *testing.T) {
		me := h.get(t, "/api/v1.1/me")
		if conformance.Text(t, me, "login") != "ada" {
			t.Errorf("got %v", me)
		}
		for _, name := range []string{"basic_email_prefs", "user_key_fingerprint", "days_left_in_trial",
			"trial_end"} {
			conformance.Member(t, me, name)
		}
		if _, ok := me["admin"].(bool); !ok {
			t.Errorf("admin is %T", me["admin"])
		}
	})
	t.Run("G-07", func(t *testing.T) { pipelineProjects(t, h) })
	t.Run("G-08", func(t *testing.T) { pipelineRecent(t, h) })
	t.Run("G-13", func(t *testing.T) {
		h.call(t, "GET", "/api/v1.1/me", h.ada, "").Want(t, 200)
		h.call(t, "GET", "/api/v1.1/me", h.projectToken(t), "").Refused(t)
	})
	t.Run("G-14", func(t *testing.T) { pipelineFollowed(t, h) })
	pipelineLists(t, h)
	pipelineKeys(t, h)
	t.Run("G-24", func(t *testing.T) {
		o := h.call(t, "POST", stoaProject+"/follow", h.grace, "").Want(t, 200).Object(t)
		if conformance.Member(t, o, "followed") != true {
			t.Errorf("got %v", o)
		}
		conformance.Member(t, o, "first_build")
		if list := entries(t, h.call(t, "GET", "/api/v1.1/projects", h.grace, "").Want(t, 200)); len(list) != 1 {
			t.Errorf("projects: %v", list)
		}
	})
	pipelineForms(t, h)
	pipelineTokens(t, h)
	t.Run("G-44", func(t *testing.T) { pipelineThrottled(t, open, 5, 1000, 0) })
	t.Run("G-45", func(t *testing.T) {
		pipelineThrottled(t, open, 5, 1000, 0)
		pipelineThrottled(t, open, 1000, 20, 2*time.Second)
	})
	t.Run("G-46", func(t *testing.T) { pipelineBackoff(t, open) })
	t.Run("G-47", func(t *testing.T) {
		h.call(t, "GET", "/api/v1.1/project/vcs_a/ada/stoa", h.ada, "").Want(t, 200)
		h.call(t, "GET", "/api/v1.1/project/ada/stoa", h.ada, "").Want(t, 404)
		h.call(t, "GET", "/api/v1/project/ada/stoa", h.ada, "").Want(t, 200) // had no such segment
	})
}

func (h *pipelineServer) projectToken(t *testing.T) string {
	t.Helper()
	o := h.Command(t, "token issue", map[string][]string{"user": {"ada"}, "service": {"pipelines"},
		"kind": {"project"}, "repo": {"ada/stoa"}})
	token, _ := o["token"].(string)
	return token
}

func pipelineProjects(t *testing.T, h *pipelineServer) {
	list := h.list(t, "/api/v1.1/projects")
	if len(list) != 1 {
		t.Fatalf("got %v", list)
	}
	for _, name := range []string{"vcs_url", "username", "reponame"} {
		conformance.Text(t, list[0], name)
	}
	if list[0]["followed"] != true {
		t.Errorf("followed: %v", list[0]["followed"])
	}
	branch := conformance.Sub(t, list[0], "branches", "main")
	conformance.Only(t, branch, "pusher_logins", "last_non_success", "last_success", "recent_builds", "running_builds")
	running, _ := branch["running_builds"].([]any)
	if len(running) == 0 {
		t.Fatalf("running_builds: %v", branch)
	}
	for _, name := range []string{"pushed_at", "vcs_revision", "build_num", "outcome"} {
		conformance.Member(t, running[0].(map[string]any), name)
	}
}

func pipelineRecent(t *testing.T, h *pipelineServer) {
	for range 7 {
		h.Clock.Advance(time.Minute)
		h.trigger(t, "main", `{}`)
	}
	branch := conformance.Sub(t, h.list(t, "/api/v1.1/projects")[0], "branches", "main")
	recent, _ := branch["recent_builds"].([]any)
	if len(recent) != 5 {
		t.Fatalf("recent_builds: %d entries, want 5", len(recent))
	}
	var pushed []string
	for _, one := range recent {
		pushed = append(pushed, conformance.Text(t, one.(map[string]any), "pushed_at"))
	}
	sorted := slices.Clone(pushed)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	if !slices.Equal(pushed, sorted) {
		t.Errorf("order: %v", pushed)
	}
}

func pipelineFollowed(t *testing.T, h *pipelineServer) {
	h.call(t, "POST", stoaProject+"/unfollow", h.ada, "").Want(t, 200)
	if list := h.list(t, "/api/v1.1/projects"); len(list) != 0 {
		t.Errorf("after unfollow: %v", list)
	}
	h.call(t, "POST", stoaProject+"/follow", h.ada, "").Want(t, 200)
	if list := h.list(t, "/api/v1.1/projects"); len(list) != 1 {
		t.Errorf("after follow: %v", list)
	}
}

func numbers(t *testing.T, list []map[string]any) []int64 {
	t.Helper()
	var nums []int64
	for _, o := range list {
		nums = append(nums, conformance.Integer(t, o, "build_num"))
	}
	return nums
}

// falling tells numbers that get smaller from one to the next.
func falling(nums []int64) bool {
	return slices.IsSortedFunc(nums, func(a, b int64) int { return int(b - a) })
}

func pipelineLists(t *testing.T, h *pipelineServer) {
	h.push(t, "ada/stoa", "feature/x", "on a branch")
	for range 34 {
		h.trigger(t, "main", `{}`)
	}
	h.Command(t, "repo create", map[string][]string{"repo": {"ada/second"}})
	h.push(t, "ada/second", "main", "second")
	h.until(t, 42, func(map[string]any) bool { return true })
	t.Run("G-15", func(t *testing.T) {
		if nums := numbers(t, h.list(t, stoaProject)); len(nums) == 0 || !falling(nums) {
			t.Errorf("got %v", nums)
		}
	})
	t.Run("G-16", func(t *testing.T) {
		all := numbers(t, h.list(t, stoaProject+"?limit=100"))
		if len(all) < 40 {
			t.Fatalf("%d jobs, want at least 40", len(all))
		}
		first, skipped := numbers(t, h.list(t, stoaProject)), numbers(t, h.list(t, stoaProject+"?offset=1"))
		if len(first) != 30 || !slices.Equal(first, all[:30]) || !slices.Equal(skipped, all[1:31]) {
			t.Errorf("first %v, skipped %v of %v", first, skipped, all)
		}
		if n := len(h.list(t, stoaProject+"?limit=1000")); n > 100 {
			t.Errorf("limit=1000 gives %d", n)
		}
		h.call(t, "GET", stoaProject+"?limit=x", h.ada, "").Refused(t)
	})
	t.Run("G-18", func(t *testing.T) {
		whole, shallow := numbers(t, h.list(t, stoaProject)), numbers(t, h.list(t, stoaProject+"?shallow=true"))
		if !slices.Equal(whole, shallow) {
			t.Errorf("whole %v, shallow %v", whole, shallow)
		}
	})
	t.Run("G-19", func(t *testing.T) {
		for _, branch := range []string{"feature%2Fx", "feature/x"} {
			list := h.list(t, stoaProject+"/tree/"+branch)
			if len(list) != 1 || conformance.Text(t, list[0], "branch") != "feature/x" {
				t.Errorf("%s: got %v", branch, list)
			}
		}
	})
	t.Run("G-20", func(t *testing.T) { pipelineAcross(t, h) })
	t.Run("G-33", func(t *testing.T) {
		if nums := numbers(t, h.list(t, stoaProject+"?limit=100")); !falling(nums) {
			t.Errorf("project runs: %v", nums)
		}
		var at []string
		for _, o := range h.list(t, "/api/v1.1/recent-builds?limit=100") {
			at = append(at, conformance.Text(t, o, "usage_queued_at"))
		}
		if !slices.IsSortedFunc(at, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("recent-builds: %v", at)
		}
	})
}

func pipelineAcross(t *testing.T, h *pipelineServer) {
	guard := time.After(30 * time.Second)
	for {
		all := h.list(t, "/api/v1.1/recent-builds?limit=100")
		repos := map[string]bool{}
		for _, o := range all {
			repos[conformance.Text(t, o, "reponame")] = true
		}
		if repos["stoa"] && repos["second"] {
			first, skipped := h.list(t, "/api/v1.1/recent-builds"), h.list(t,
				"/api/v1.1/recent-builds?offset=1&limit=5&shallow=true")
			if len(first) != 30 || len(skipped) != 5 || !slices.Equal(numbers(t, skipped), numbers(t, all)[1:6]) {
				t.Errorf("%d without offset, skipped %v", len(first), numbers(t, skipped))
			}
			return
		}
		select {
		case <-guard:
			t.Fatalf("repositories: %v", repos)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

const pipelineHostKey = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
`

func pipelineKeys(t *testing.T, h *pipelineServer) {
	made := h.call(t, "POST", stoaProject+"/checkout-key", h.ada, `{"type":"deploy-key"}`).Want(t, 200, 201).Object(t)
	path := stoaProject + "/checkout-key/" + conformance.Text(t, made, "fingerprint")
	t.Run("G-30", func(t *testing.T) {
		if !strings.HasPrefix(conformance.Text(t, made, "public_key"), "ssh-ed25519 ") {
			t.Errorf("got %v", made)
		}
		h.call(t, "GET", path, h.ada, "").Want(t, 200)
	})
	t.Run("G-23", func(t *testing.T) {
		if o := h.get(t, path); o["public_key"] != made["public_key"] {
			t.Errorf("got %v, want %v", o, made)
		}
	})
	t.Run("G-31", func(t *testing.T) {
		h.call(t, "DELETE", path, h.ada, "").Want(t, 200)
		h.call(t, "GET", path, h.ada, "").Refused(t)
	})
	body, err := json.Marshal(map[string]string{"hostname": "example.com", "private_key": pipelineHostKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("G-29", func(t *testing.T) {
		h.call(t, "POST", stoaProject+"/ssh-key", h.ada, string(body)).Want(t, 200, 201)
		h.call(t, "POST", stoaProject+"/ssh-key", h.ada, `{"hostname":"example.com","private_key":"no key"}`).Refused(t)
	})
	t.Run("G-32", func(t *testing.T) {
		h.call(t, "DELETE", stoaProject+"/ssh-key", h.ada, `{"hostname":"example.com"}`).Want(t, 200)
		h.call(t, "DELETE", stoaProject+"/ssh-key", h.ada, `{"hostname":"example.com"}`).Refused(t)
		if keys, _ := h.get(t, stoaProject+"/settings")["ssh_keys"].([]any); len(keys) != 0 {
			t.Errorf("ssh_keys: %v", keys)
		}
	})
}

// form asks for /me with an Accept header, or without one when it is "-".
func (h *pipelineServer) form(t *testing.T, accept string) *conformance.Answer {
	t.Helper()
	header := http.Header{"Pipeline-Token": {h.ada}}
	if accept != "-" {
		header["Accept"] = []string{accept}
	}
	return h.Do(t, conformance.Call{Path: "/api/v1.1/me", Header: header}).Want(t, 200)
}

func pipelineForms(t *testing.T, h *pipelineServer) {
	t.Run("G-34", func(t *testing.T) {
		for _, accept := range []string{"-", ""} {
			if a := h.form(t, accept); !bytes.HasPrefix(a.Body, []byte(`{:login "ada", `)) ||
				!strings.HasPrefix(a.Header.Get("Content-Type"), "application/edn") {
				t.Errorf("%q: %v", accept, a)
			}
		}
	})
	t.Run("G-35", func(t *testing.T) {
		a := h.form(t, "application/json")
		if bytes.ContainsRune(a.Body, '\n') || a.Object(t)["login"] != "ada" {
			t.Errorf("got %v", a)
		}
	})
	t.Run("G-36", func(t *testing.T) {
		for _, accept := range []string{"text/plain", "*/*", "application/xml"} {
			a := h.form(t, accept)
			if !bytes.Contains(a.Body, []byte("\n  ")) || a.Object(t)["login"] != "ada" {
				t.Errorf("%s: %v", accept, a)
			}
		}
	})
	t.Run("G-37", func(t *testing.T) {
		known := []string{"private", "public", "no-cache", "no-store", "must-revalidate", "max-age"}
		for directive := range strings.SplitSeq(h.form(t, "-").Header.Get("Cache-Control"), ",") {
			name, _, _ := strings.Cut(strings.TrimSpace(directive), "=")
			if name != "" && !slices.Contains(known, name) {
				t.Errorf("directive %q", directive)
			}
		}
	})
	t.Run("G-38", func(t *testing.T) {
		h.Command(t, "repo create", map[string][]string{"repo": {"ada/hidden"}, "private": {"true"}})
		h.call(t, "GET", stoaProject, "", "").Want(t, 200)
		h.call(t, "GET", stoaProject+"/1", "", "").Want(t, 200)
		h.call(t, "GET", "/api/v1.1/project/vcs_a/ada/hidden", "", "").Refused(t)
		h.call(t, "POST", stoaProject+"/tree/main", "", "{}").Refused(t)
	})
}

func pipelineTokens(t *testing.T, h *pipelineServer) {
	me := func(path string, header http.Header) *conformance.Answer {
		header.Set("Accept", "application/json")
		return h.Do(t, conformance.Call{Path: path, Header: header})
	}
	t.Run("G-39", func(t *testing.T) {
		me("/api/v1.1/me", http.Header{"Pipeline-Token": {h.ada}}).Want(t, 200)
		me("/api/v1.1/me", http.Header{"Pipeline-Token": {"nope"}}).Refused(t)
	})
	t.Run("G-40", func(t *testing.T) {
		basic := func(user, password string) http.Header {
			return http.Header{"Authorization": {"Basic " +
				base64.StdEncoding.EncodeToString([]byte(user+":"+password))}}
		}
		me("/api/v1.1/me", basic(h.ada, "")).Want(t, 200)
		me("/api/v1.1/me", basic("nope", "")).Refused(t)
	})
	t.Run("G-41", func(t *testing.T) {
		me("/api/v1.1/me?pipeline-token="+h.ada, http.Header{}).Want(t, 200)
		me("/api/v1.1/me?pipeline-token=nope", http.Header{}).Refused(t)
	})
	t.Run("G-42", func(t *testing.T) {
		token := h.projectToken(t)
		h.call(t, "GET", stoaProject, token, "").Want(t, 200)
		h.call(t, "GET", "/api/v1.1/project/vcs_a/ada/hidden", token, "").Refused(t)
	})
}

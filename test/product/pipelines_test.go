package product_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/test/program"
)

// jobTime bounds the jobs of one file together.
const jobTime = 2 * time.Minute

// TestPipelineFiles pushes the files that the pages print, to the letter, and
// sees their jobs succeed.
func TestPipelineFiles(t *testing.T) {
	t.Parallel()
	root, binary := build(t)
	needSandbox(t)
	data := filepath.Join(t.TempDir(), "stoa-data")
	server, err := program.Start(t.Context(), program.Options{Binary: binary, Data: data, Args: []string{"--demo"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	env, err := program.DemoEnv(data)
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, env: env, url: server.URL + "/api/v1.1/project/vcs_a/" + env["STOA_REPO"]}
	for page, jobs := range map[string][]string{
		"docs/pipeline-yml.md":       {"build", "release"},
		"docs/services/pipelines.md": {"build", "hold", "deploy"},
	} {
		p.push(page, pipelineOf(t, root, page))
		p.wait(page, jobs)
	}
}

// needSandbox fails where jobs cannot run.
func needSandbox(t *testing.T) {
	t.Helper()
	if err := sandbox.New(sandbox.DefaultConfig(), clock.Real()).Check(t.Context()); err != nil {
		t.Fatalf("the sandbox does not work: %v; run make setup", err)
	}
}

// pipelineOf is the one file that a page prints in full.
func pipelineOf(t *testing.T, root, page string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)```yaml\n(version: .*?)```\n").FindAllStringSubmatch(read(t, root, page), -1)
	if len(found) != 1 {
		t.Fatalf("%s prints %d files, want 1", page, len(found))
	}
	return found[0][1]
}

// project is the demo repository as a client sees it.
type project struct {
	t   *testing.T
	env map[string]string
	url string
}

// push commits the file to main.
func (p *project) push(page, file string) {
	p.t.Helper()
	dir := filepath.Join(p.t.TempDir(), "clone")
	remote := strings.Replace(p.env["STOA_URL"], "http://", "http://x:"+p.env["STOA_PIPELINE_TOKEN"]+"@", 1) + "/git/" +
		p.env["STOA_REPO"] + ".git"
	p.git("", "clone", "-q", remote, dir)
	if err := os.WriteFile(filepath.Join(dir, "pipeline.yml"), []byte(file), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.git(dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "-am", page)
	p.git(dir, "push", "-q", "origin", "HEAD:main")
}

func (p *project) git(dir string, args ...string) {
	p.t.Helper()
	command := exec.CommandContext(p.t.Context(), "git", args...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		p.t.Fatalf("git %s: %v\n%s", args[0], err, out)
	}
}

type job struct {
	Number    int    `json:"build_num"`
	Subject   string `json:"subject"`
	Lifecycle string `json:"lifecycle"`
	Status    string `json:"status"`
	Workflows struct {
		Name string `json:"job_name"`
	} `json:"workflows"`
}

// wait follows the jobs of one push to their end and lets an approval pass.
func (p *project) wait(page string, names []string) {
	p.t.Helper()
	var last map[string]job
	approved := false
	for until := time.Now().Add(jobTime); time.Now().Before(until); time.Sleep(200 * time.Millisecond) {
		last = p.jobs(page)
		good := 0
		for _, name := range names {
			switch j := last[name]; {
			case j.Status == "success" || j.Status == "fixed":
				good++
			case j.Lifecycle == "finished" || j.Lifecycle == "not_run":
				p.t.Fatalf("%s: job %s is %s\n%s", page, name, j.Status, p.call("GET", fmt.Sprintf("/%d/log", j.Number)))
			}
		}
		if good == len(names) && len(last) == good {
			return
		}
		if hold, waits := last["hold"]; waits && !approved && last["build"].Lifecycle == "finished" {
			p.shows(hold.Number, fmt.Sprintf("/%d/approve</code>", hold.Number))
			p.call("POST", fmt.Sprintf("/%d/approve", hold.Number))
			p.shows(hold.Number, "Approved by "+p.env["STOA_USER"])
			approved = true
		}
	}
	p.t.Fatalf("%s: after %v the jobs are %+v, want success of %v", page, jobTime, last, names)
}

// shows holds the page of a job, which anybody may read here, against words.
func (p *project) shows(number int, words string) {
	p.t.Helper()
	page := p.call("GET", fmt.Sprintf("%s/vcs_a/%s/%d", p.env["STOA_URL"], p.env["STOA_REPO"], number))
	if !strings.Contains(string(page), words) {
		p.t.Errorf("the page of job %d does not say %q\n%s", number, words, page)
	}
}

// jobs are those of the push that the page's name titles.
func (p *project) jobs(page string) map[string]job {
	p.t.Helper()
	var all []job
	if err := json.Unmarshal(p.call("GET", "?limit=10"), &all); err != nil {
		p.t.Fatal(err)
	}
	out := map[string]job{}
	for _, j := range all {
		if j.Subject == page {
			out[j.Workflows.Name] = j
		}
	}
	return out
}

// call answers a path below the project's address, or a whole address.
func (p *project) call(method, path string) []byte {
	p.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = p.url + path
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Pipeline-Token", p.env["STOA_PIPELINE_TOKEN"])
	r.Header.Set("Accept", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		p.t.Fatalf("%s %s: %d %v\n%s", method, path, answer.StatusCode, err, body)
	}
	return body
}

package browser_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// countingPipeline prints a line every tenth of a second until it is canceled.
const countingPipeline = `version: 2
jobs:
  count:
    steps:
      - run:
          name: Count
          command: 'for i in $(seq 1 2000); do echo "line $i <b>of many</b>"; sleep 0.1; done'
`

// pipeline calls the API of the demo project.
func (s *server) pipeline(method, path string) map[string]any {
	s.t.Helper()
	project := s.url + "/api/v1.1/project/vcs_a/" + s.env["STOA_REPO"]
	r, err := http.NewRequestWithContext(s.t.Context(), method, project+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Pipeline-Token", s.env["STOA_PIPELINE_TOKEN"])
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	var object map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&object); err != nil || answer.StatusCode/100 != 2 {
		s.t.Fatalf("%s %s: %s %v: %v", method, path, answer.Status, object, err)
	}
	return object
}

// pushPipeline replaces the configuration of the demo project.
func (s *server) pushPipeline(config string) {
	s.t.Helper()
	dir := s.t.TempDir()
	host := strings.Replace(s.url, "http://", "http://x:"+s.env["STOA_PIPELINE_TOKEN"]+"@", 1)
	address := host + "/git/" + s.env["STOA_REPO"] + ".git"
	git := func(args ...string) {
		s.t.Helper()
		author := []string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}
		cmd := exec.Command("git", append(author, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("clone", "-q", address, ".")
	if err := os.WriteFile(filepath.Join(dir, "pipeline.yml"), []byte(config), 0o600); err != nil {
		s.t.Fatal(err)
	}
	git("commit", "-q", "-a", "-m", "count the columns [skip ci]")
	git("push", "-q", address, "HEAD:main")
}

// until waits for something that the page does by itself, such as loading
// itself again.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	for guard := time.After(stepTime); ; {
		happened, err := tryEvaluate[bool](b, expression)
		if err == nil && happened {
			return
		}
		select {
		case <-guard:
			b.t.Fatalf("%s does not happen: %v\n%s", what, err, b.text())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// pipelinePages looks at a job while it runs: its log grows without the
// page being loaded again, and the page knows when it is over.
func (s *server) pipelinePages(t *testing.T) {
	s = s.forTest(t)
	s.pushPipeline(countingPipeline)
	for _, size := range screens() {
		t.Run(size.name, func(t *testing.T) {
			num := fmt.Sprint(s.pipeline(http.MethodPost, "")["build_num"])
			b := s.newTab(t, size)
			b.open("/vcs_a/" + s.env["STOA_REPO"] + "/" + num)
			evaluate[bool](b, `window.kept = true`)
			b.until("a growing log", `/line 1 <b>of many<\/b>[^]*line 8 /.test(
				document.querySelector("#step-101-0 pre")?.textContent)`)
			b.checkPage("pipelines-running", 1, 2)
			if !evaluate[bool](b, `window.kept === true &&
				document.querySelector("#status .pill").textContent === "running"`) {
				t.Errorf("the page was loaded again, or does not say running:\n%s", b.text())
			}
			s.pipeline(http.MethodPost, "/"+num+"/cancel")
			b.until("the end", `window.kept !== true &&
				document.querySelector("#status .pill")?.textContent === "canceled"`)
			b.wantText("Canceled by", "ada")
			b.checkPage("pipelines-canceled", 0, 2)
			b.open("/vcs_a/" + s.env["STOA_REPO"])
			b.wantText("#"+num+" count", "canceled")
			b.checkPage("pipelines-project", 0, 2)
			b.open("/vcs_a")
			b.wantText("Sign in to see this")
			b.press("main .button")
			b.fill("name", s.env["STOA_USER"])
			b.fill("password", s.env["STOA_PASSWORD"])
			b.press("main button")
			b.wantText("Projects", s.env["STOA_REPO"])
			b.checkPage("pipelines-projects", 0, 2)
		})
	}
}

package conformance_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/conformance"
)

// pushPayload pushes with the real git client.
func pushPayload(t *testing.T, h *forgeServer) {
	dir, date := t.TempDir(), conformance.Began().Format(time.RFC3339)
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
			"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
			"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
			"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date,
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	url := strings.Replace(h.URL, "http://", "http://x:"+h.ada+"@", 1) + "/git/lyceum/colonnade.git"
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "first")
	before := git("rev-parse", "HEAD")
	git("push", "-q", url, "main")
	git("commit", "-q", "--allow-empty", "-m", "second")
	head := git("rev-parse", "HEAD")
	git("push", "-q", url, "main")
	e := h.list(t, "/repos/lyceum/colonnade/events", "")[0]
	if got := conformance.Text(t, e, "type"); got != "PushEvent" {
		t.Fatalf("type: got %s in %v", got, e)
	}
	p := conformance.Sub(t, e, "payload")
	conformance.Integer(t, p, "push_id")
	if conformance.Integer(t, p, "size") != 1 || conformance.Integer(t, p, "distinct_size") != 1 ||
		conformance.Text(t, p, "ref") != "refs/heads/main" || conformance.Text(t, p, "head") != head ||
		conformance.Text(t, p, "before") != before {
		t.Errorf("payload: got %v", p)
	}
	commits, _ := p["commits"].([]any)
	if len(commits) != 1 {
		t.Fatalf("commits: got %v, want one", commits)
	}
	c, _ := commits[0].(map[string]any)
	conformance.Only(t, c, "sha", "author", "message", "distinct", "url")
	if c["sha"] != head || c["message"] != "second" || c["distinct"] != true ||
		conformance.Text(t, c, "author", "email") != "ada@example.com" ||
		conformance.Text(t, c, "author", "name") != "Ada" {
		t.Errorf("commit: got %v", c)
	}
}

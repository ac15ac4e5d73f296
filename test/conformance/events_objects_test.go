package conformance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"stoa.dev/stoa/test/conformance"
)

// objectAnswers reads what the feeds lead through and to, in a repository with two
// branches, a tag of each kind, a link and a renamed file.
func objectAnswers(t *testing.T, a answered) {
	t.Helper()
	a.Command(t, "org add", map[string][]string{"name": {"lyceum"}})
	a.Command(t, "org member add", map[string][]string{"org": {"lyceum"}, "user": {"ada"}, "role": {"owner"}})
	a.Command(t, "repo import", map[string][]string{"repo": {"lyceum/tree"}, "folder": {treeFolder(t)}, "user": {"ada"}})
	a.Command(t, "repo fork", map[string][]string{"repo": {"lyceum/tree"}, "owner": {"ada"}})
	a.do(t, "PUT", "/user/starred/lyceum/tree", "", 204)
	a.do(t, "GET", "/user/starred/lyceum/tree", "", 204)
	const repo = "/repos/lyceum/tree"
	var tag, blob string
	for _, ref := range entries(t, a.do(t, "GET", repo+"/git/refs/tags", "", 200)) {
		if conformance.Text(t, ref, "ref") == "refs/tags/v1.0" {
			tag = conformance.Text(t, ref, "object", "sha")
		}
	}
	blob = conformance.Text(t, a.do(t, "GET", repo+"/contents/README.md", "", 200).Object(t), "sha")
	a.do(t, "GET", "/repos/ada/tree", "", 200)
	for _, path := range []string{
		repo, "/user", "/user/orgs", "/user/repos", "/user/starred", "/user/subscriptions", "/users/ada", "/users/lyceum",
		"/users/ada/orgs", "/users/ada/repos", "/users/ada/starred", "/users/ada/subscriptions", "/users/ada/followers",
		"/users/ada/following", "/users/ada/gists", "/orgs/lyceum", "/orgs/lyceum/repos", "/orgs/lyceum/members",
		"/orgs/lyceum/public_members", "/orgs/lyceum/hooks", "/orgs/lyceum/issues",
		repo + "/branches", repo + "/branches/main", repo + "/tags", repo + "/git/refs", repo + "/git/ref/heads/main",
		repo + "/git/matching-refs/heads/", repo + "/git/tags/" + tag, repo + "/commits", repo + "/commits/main",
		repo + "/commits/v1.0", repo + "/commits/main/comments", repo + "/git/commits/main", repo + "/compare/feature...main",
		repo + "/contributors?anon=1", repo + "/contents", repo + "/contents/link", repo + "/contents/cmd",
		repo + "/readme", repo + "/git/trees/main?recursive=1", repo + "/git/blobs/" + blob, repo + "/languages",
		repo + "/tarball", repo + "/tarball/main", repo + "/zipball", repo + "/zipball/main",
		"/raw/lyceum/tree/main/README.md", repo + "/stargazers", repo + "/subscribers", repo + "/subscription",
		repo + "/forks", repo + "/collaborators", repo + "/collaborators/ada/permission", repo + "/assignees",
		repo + "/comments", repo + "/deployments", repo + "/downloads", repo + "/hooks", repo + "/issues",
		repo + "/issues/comments", repo + "/issues/events", repo + "/keys", repo + "/labels", repo + "/milestones",
		repo + "/notifications", repo + "/pulls", repo + "/releases", repo + "/statuses/main", repo + "/teams",
		"/avatars/o/1", "/api/v3/users/ada",
	} {
		a.do(t, "GET", path, "", 200)
	}
	a.do(t, "GET", repo+"/collaborators/ada", "", 204)
	a.do(t, "GET", "/orgs/lyceum/members/ada", "", 204)
}

// treeFolder is a repository on this machine.
func treeFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	date := conformance.Began().Add(-time.Hour).UTC().Format(time.RFC3339)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_AUTHOR_DATE=" + date,
			"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_COMMITTER_DATE=" + date,
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for name, text := range conformance.InOrder(map[string]string{
		"README.md": "# Tree\n", "cmd/main.go": "package main\n\nfunc main() {}\n",
	}) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("README.md", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	git("tag", "-a", "v1.0", "-m", "The first release")
	git("branch", "feature")
	git("mv", "cmd/main.go", "cmd/tree.go")
	git("commit", "-q", "-m", "second")
	git("tag", "v1.1")
	return dir
}

package gh_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// hostName is what the code host is called in the test. The program compares it with the host of
// git's remotes, where it leaves ports out.
const hostName = "code.stoa.test"

// terminal runs the program, and git, in a folder.
type terminal struct {
	program string
	dir     string
	env     []string
}

func (m terminal) run(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir, command.Env = m.dir, append(os.Environ(), m.env...)
	out, err := command.CombinedOutput()
	return string(out), err
}

// gh runs one command line, split at spaces outside quotes, and wants a part of what it prints.
func (m terminal) gh(t *testing.T, line, want string) {
	t.Helper()
	var args []string
	for _, word := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
		args = append(args, strings.Trim(word, "'"))
	}
	out, err := m.run(t, m.program, args...)
	if err != nil || !strings.Contains(out, want) {
		t.Errorf("gh %s: %v\n%s\nwant %s", line, err, out, want)
	}
}

// git runs git, and ends the test when it fails.
func (m terminal) git(t *testing.T, args ...string) {
	t.Helper()
	if out, err := m.run(t, "git", args...); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// forward is a proxy that leads every connection to one address, as a name server would.
func forward(t *testing.T, address string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go connect(from, address)
		}
	}()
	return "http://" + listener.Addr().String()
}

func connect(from net.Conn, address string) {
	defer from.Close()
	in := bufio.NewReader(from)
	if _, err := http.ReadRequest(in); err != nil {
		return
	}
	to, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer to.Close()
	if _, err := io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(to, in)
		_ = to.Close()
	}()
	_, _ = io.Copy(from, to)
}

// TestTerminalCommands lives a day with the program: repositories, issues, pull requests and releases.
func TestTerminalCommands(t *testing.T) {
	program := world.GoProgram(t, "github.com/cli/cli/v2/cmd/gh")
	s := world.Serve(t, world.Options{
		Args: []string{"--https", "127.0.0.1:0"}, Env: []string{"STOA_BASE_URL=https://" + hostName},
	})
	proxy := forward(t, strings.TrimPrefix(s.Env["STOA_HTTPS_URL"], "https://"))
	repo, folder := s.Env["STOA_REPO"], t.TempDir()
	m := terminal{program: program, dir: folder, env: []string{
		"GH_HOST=" + hostName, "GH_ENTERPRISE_TOKEN=" + s.Env["STOA_TOKEN"], "GH_CONFIG_DIR=" + t.TempDir(),
		"SSL_CERT_FILE=" + s.Env["STOA_CA_FILE"], "GIT_SSL_CAINFO=" + s.Env["STOA_CA_FILE"],
		"HTTPS_PROXY=" + proxy, "https_proxy=" + proxy, "NO_PROXY=", "no_proxy=",
		"GH_PROMPT_DISABLED=1", "NO_COLOR=1", "GH_NO_UPDATE_NOTIFIER=1", "GH_TELEMETRY=0",
		"GIT_CONFIG_GLOBAL=" + filepath.Join(folder, "gitconfig"), "GIT_TERMINAL_PROMPT=0",
	}}
	for name, value := range map[string]string{
		"user.name": "Ada", "user.email": "ada@stoa.test", "credential.helper": "!" + program + " auth git-credential",
	} {
		m.git(t, "config", "--global", name, value)
	}
	m.gh(t, "repo clone "+repo+" clone", "")
	m.dir = filepath.Join(folder, "clone")
	repositories(t, m, repo)
	issues(t, m)
	pulls(t, m)
	releases(t, m)
}

func repositories(t *testing.T, m terminal, repo string) {
	m.gh(t, "repo view", "name:\t"+repo)
	m.gh(t, "repo view "+repo+" --json isPrivate,viewerPermission,defaultBranchRef,owner", `"viewerPermission":"ADMIN"`)
	m.gh(t, "repo create fresh --private --description 'All new'", "https://"+hostName+"/ada/fresh")
	m.gh(t, "repo list", "ada/fresh\tAll new\tprivate")
	m.gh(t, "repo fork "+repo+" --clone=false", "https://"+hostName+"/ada/")
	m.gh(t, "repo list --fork --json nameWithOwner,parent", `"login":"lyceum"`)
	m.gh(t, "repo list --source --visibility private", "ada/fresh")
	m.gh(t, "repo clone ada/fresh ../fresh", "empty repository")
}

func issues(t *testing.T, m terminal) {
	m.gh(t, "label create bug --color ff0000 --description 'Does not work'", "")
	m.gh(t, "label list", "bug\tDoes not work\t#ff0000")
	m.gh(t, "issue create --title Shade --body 'None at noon' --label bug --assignee @me", "/issues/1")
	m.gh(t, "issue create --title Sun --body ''", "/issues/2")
	m.gh(t, "issue list", "1\tOPEN\tShade\tbug")
	m.gh(t, "issue list --label bug --json number", `[{"number":1}]`)
	m.gh(t, "issue list --assignee @me --state all --json number", `[{"number":1}]`)
	m.gh(t, "issue list --search 'is:open label:bug sort:updated-desc' --json number", `[{"number":1}]`)
	m.gh(t, "issue view 1", "assignees:\tada")
	m.gh(t, "issue comment 1 --body 'Plant a tree'", "#issuecomment-1")
	m.gh(t, "issue comment 1 --edit-last --body 'Plant two'", "#issuecomment-1")
	m.gh(t, "issue view 1 --comments", "Plant two")
	m.gh(t, "issue edit 1 --title Shadow --body 'At noon' --remove-label bug --remove-assignee @me", "/issues/1")
	m.gh(t, "issue view 1 --json title,body,labels,assignees", `"title":"Shadow"`)
	m.gh(t, "issue close 1 --comment 'No trees' --reason 'not planned'", "Closed issue")
	m.gh(t, "issue view 1 --json state,stateReason,closed", `"stateReason":"NOT_PLANNED"`)
	m.gh(t, "issue list --state closed", "1\tCLOSED")
	m.gh(t, "issue reopen 1", "Reopened issue")
	m.gh(t, "issue view 1 --json "+issueFields, `"number":1`)
}

// issueFields and pullFields are all that the program can ask for.
const (
	issueFields = "assignees,author,blockedBy,blocking,body,closed,closedAt,closedByPullRequestsReferences,comments," +
		"createdAt,id,isPinned,issueType,labels,milestone,number,parent,projectCards,projectItems,reactionGroups,state," +
		"stateReason,subIssues,subIssuesSummary,title,updatedAt,url"
	pullFields = "additions,assignees,author,autoMergeRequest,baseRefName,baseRefOid,body,changedFiles,closed,closedAt," +
		"closingIssuesReferences,comments,commits,createdAt,deletions,files,fullDatabaseId,headRefName,headRefOid," +
		"headRepository,headRepositoryOwner,id,isCrossRepository,isDraft,labels,latestReviews,maintainerCanModify," +
		"mergeCommit,mergeStateStatus,mergeable,mergedAt,mergedBy,milestone,number,potentialMergeCommit,projectCards," +
		"projectItems,reactionGroups,reviewDecision,reviewRequests,reviews,state,statusCheckRollup,title,updatedAt,url"
)

func pulls(t *testing.T, m terminal) {
	for _, branch := range []string{"steps", "walls"} {
		m.git(t, "checkout", "-q", "-b", branch, "main")
		if err := os.WriteFile(filepath.Join(m.dir, branch+".txt"), []byte(branch+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		m.git(t, "add", ".")
		m.git(t, "commit", "-q", "-m", "Add "+branch)
		m.git(t, "push", "-q", "-u", "origin", branch)
		m.gh(t, "pr create --base main --title "+branch+" --body 'Adds it' --label bug", "/pull/")
	}
	m.gh(t, "pr list", "3\tsteps\tsteps\tOPEN")
	m.gh(t, "pr list --author @me --label bug --json number", `"number":4`)
	m.gh(t, "pr list --head steps --json number,mergeable,statusCheckRollup", `"mergeable":"MERGEABLE"`)
	m.gh(t, "pr status", "#4  walls [walls]")
	m.gh(t, "pr view", "title:\twalls")
	m.gh(t, "pr view 3", "additions:\t1")
	m.gh(t, "pr diff 3", "+steps")
	m.gh(t, "pr comment 3 --body 'Nice steps'", "#issuecomment-")
	m.gh(t, "pr review 3 --comment --body 'So so'", "")
	m.gh(t, "pr view 3 --comments", "Nice steps")
	m.git(t, "checkout", "-q", "main")
	m.git(t, "branch", "-q", "-D", "steps")
	m.gh(t, "pr checkout 3", "steps")
	if _, err := os.Stat(filepath.Join(m.dir, "steps.txt")); err != nil {
		t.Error(err)
	}
	m.gh(t, "pr edit 3 --title 'The steps' --remove-label bug", "/pull/3")
	m.gh(t, "pr close 3", "Closed pull request")
	m.gh(t, "pr list --state closed", "The steps")
	m.gh(t, "pr reopen 3", "Reopened pull request")
	m.git(t, "checkout", "-q", "main")
	m.gh(t, "pr merge 3 --merge", "")
	m.gh(t, "pr merge 4 --squash --delete-branch", "")
	m.gh(t, "pr list --state merged --json number,mergedBy", `"number":3`)
	m.gh(t, "pr view 3 --json "+pullFields, `"state":"MERGED"`)
	m.gh(t, "api repos/{owner}/{repo}/branches --jq '.[].name'", "steps")
	if out, err := m.run(t, m.program, "api", "repos/{owner}/{repo}/branches/walls"); err == nil {
		t.Errorf("the merged branch is still there: %s", out)
	}
}

func releases(t *testing.T, m terminal) {
	m.gh(t, "release create v1 --title One --notes 'The first' --target main", "/releases/tag/v1")
	m.gh(t, "release create v2 --draft --notes 'To come'", "/releases/tag/v2")
	m.gh(t, "release list", "One\tLatest\tv1")
	m.gh(t, "release list --exclude-drafts --json tagName,isLatest", `[{"isLatest":true,"tagName":"v1"}]`)
	m.gh(t, "release view v1", "The first")
	m.gh(t, "release view v2 --json isDraft,body", `"isDraft":true`)
	m.gh(t, "release download v1 --archive zip --dir ../archive", "")
	if files, err := filepath.Glob(filepath.Join(m.dir, "..", "archive", "*.zip")); err != nil || len(files) != 1 {
		t.Errorf("downloads: %v %v", files, err)
	}
	m.gh(t, "release edit v2 --draft=false --title Two", "/releases/tag/v2")
	m.gh(t, "release delete v1 --yes", "")
	m.gh(t, "release list", "Two\tLatest\tv2")
}

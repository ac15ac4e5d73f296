package gh_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestTerminalProgram reads and changes a repository with gh api, and clones it with the
// program as git's helper for credentials.
func TestTerminalProgram(t *testing.T) {
	program := world.GoProgram(t, "github.com/cli/cli/v2/cmd/gh")
	// The program speaks HTTPS alone, which the server offers beside HTTP.
	s := world.Serve(t, world.Options{})
	address, repo := s.Env["STOA_HTTPS_URL"], s.Env["STOA_REPO"]
	host := strings.TrimPrefix(address, "https://")
	env := []string{
		"GH_HOST=" + host, "GH_REPO=" + host + "/" + repo, "GH_ENTERPRISE_TOKEN=" + s.Env["STOA_TOKEN"],
		"GH_CONFIG_DIR=" + t.TempDir(), "SSL_CERT_FILE=" + s.Env["STOA_CA_FILE"], "GH_PROMPT_DISABLED=1", "NO_COLOR=1",
		"GH_NO_UPDATE_NOTIFIER=1", "GH_TELEMETRY=0",
	}
	api := func(args ...string) string {
		t.Helper()
		return strings.TrimSpace(s.Run(t, env, program, append([]string{"api"}, args...)...))
	}
	want := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	want("the caller", api("user", "--jq", ".login"), s.Env["STOA_USER"])
	want("the repository", api("repos/{owner}/{repo}", "--template", "{{.full_name}}"), repo)
	types := strings.Fields(api("--paginate", "repos/{owner}/{repo}/events?per_page=2", "--jq", ".[].type"))
	if len(types) < 3 {
		t.Errorf("all pages hold %v", types)
	}
	want("an issue", api("repos/{owner}/{repo}/issues", "-f", "title=Typed", "--jq", ".title"), "Typed")
	closed := api("-X", "PATCH", "repos/{owner}/{repo}/issues/1", "-f", "state=closed", "--jq", ".state")
	want("its state", closed, "closed")
	want("the token", strings.TrimSpace(s.Run(t, env, program, "auth", "token")), s.Env["STOA_TOKEN"])

	// A repository that is not there, in REST and in GraphQL.
	for want, args := range map[string][]string{
		"HTTP 404":                    {"api", "repos/{owner}/nowhere"},
		"Could not resolve to a Repo": {"repo", "view", host + "/ada/nowhere"},
	} {
		refused := exec.Command(program, args...)
		refused.Env = append(os.Environ(), env...)
		out, err := refused.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("gh %v: %v %s, want %s", args, err, out, want)
		}
	}

	clone := filepath.Join(t.TempDir(), "clone")
	git := exec.Command("git", "-c", "credential.helper=!"+program+" auth git-credential",
		"clone", "-q", address+"/git/"+repo+".git", clone)
	// The variable, since one of the machine would win over git's setting.
	git.Env = append(append(os.Environ(), env...),
		"GIT_SSL_CAINFO="+s.Env["STOA_CA_FILE"], "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0")
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("clone: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(clone, "README.md")); err != nil {
		t.Error(err)
	}
}

// TestSnippets runs what the page of the code host has a reader type.
func TestSnippets(t *testing.T) {
	program := world.GoProgram(t, "github.com/cli/cli/v2/cmd/gh")
	out := world.Serve(t, world.Options{}).Snippet(t, "docs/services/events.md", "sh", world.Program{
		Path: filepath.Dir(program), Env: []string{"GH_CONFIG_DIR=" + t.TempDir(), "GH_TELEMETRY=0"},
	})
	if !strings.Contains(out, `"Typed"`) {
		t.Errorf("gh prints %s", out)
	}
}

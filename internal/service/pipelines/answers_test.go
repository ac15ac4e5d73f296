package pipelines_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// oddText has everything that encodings treat differently: quotes, markup, controls, line separators and
// characters beyond the first plane.
const oddText = "say \"hi\" & <b>bold</b> \\ \t \b\f\u2028\u2029\u007f ü 漢 🏛"

// oddPipeline is a workflow of a job on two nodes, an approval and what waits for it.
const oddPipeline = `version: 2
jobs:
  build:
    parallelism: 2
    steps:
      - run: {name: "a & b", command: "echo '<one>'\necho two"}
  ship:
    steps:
      - run: echo ship
workflows:
  version: 2
  main:
    jobs:
      - build
      - hold: {type: approval, requires: [build]}
      - ship: {requires: [hold]}
`

// playOdd prints, keeps and reports what is hard to encode; jobs on a branch called red fail.
func playOdd(ctx context.Context, t execute.Task, h execute.Host, r execute.Reporter) (execute.Outcome, error) {
	err := errors.Join(
		r.StepStarted(ctx, execute.StepStart{Step: 0, Kind: "checkout", Name: "Checkout code"}),
		r.StepEnded(ctx, execute.StepEnd{Step: 0, Outcome: execute.Success, Code: -1}),
		r.StepStarted(ctx, execute.StepStart{Step: 1, Kind: "run", Name: "a & b", Command: "echo '<one>'\necho two"}),
		r.Output(ctx, 1, "out", []byte("one\r\n"+oddText+"\x1b[0m\n")),
		r.Output(ctx, 1, "err", []byte("two\n")),
	)
	if err != nil {
		return execute.Infrastructure, err
	}
	if t.Node == 0 {
		err = errors.Join(
			h.Artifact(ctx, "out/a b+c/ü.txt", 5, strings.NewReader("kept!")),
			h.Tests(ctx, []execute.TestCase{
				{Name: "adds", Class: "sum", Result: "success", Seconds: 0.5, File: "sum_test.go", Source: "go"},
				{Name: oddText, Class: "sum", Result: "failure", Seconds: 1, Message: "got <1>\nwant 2"},
				{Name: "nothing", Result: "skipped"},
			}))
	}
	if err != nil {
		return execute.Infrastructure, err
	}
	if t.Branch == "red" {
		return execute.Failed, r.StepEnded(ctx, execute.StepEnd{Step: 1, Outcome: execute.Failed, Code: 3,
			Reason: "code 3"})
	}
	return execute.Success, r.StepEnded(ctx, execute.StepEnd{Step: 1, Outcome: execute.Success})
}

// scrub replaces what is random in an answer.
func scrub(text string) string {
	for _, c := range []struct{ pattern, with string }{
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "UUID"},
		{`\b[0-9a-f]{40}\b`, "COMMIT"},
		{`signature=[0-9a-f]+`, "signature=SIGNATURE"},
		{`ssh-ed25519 [A-Za-z0-9+/=]+`, "ssh-ed25519 PUBLIC"},
		{`([0-9a-f]{2}:){15}[0-9a-f]{2}`, "MD5"},
		{`"[A-Za-z0-9+/]{43}"`, `"SHA256"`},
		{`(token"?[ :]*)"[^"]+"`, `$1"SECRET"`},
		{`request id [0-9A-Za-z-]+`, "request id ID"},
	} {
		text = regexp.MustCompile(c.pattern).ReplaceAllString(text, c.with)
	}
	return text
}

// answers plays requests and holds every answer, byte by byte, against a golden file.
type answers struct {
	h     *testServer
	r     forge.Repository
	token string
	jobs  int64
}

// forms are the three encodings by their Accept header.
func forms() []struct{ name, accept string } {
	return []struct{ name, accept string }{{"edn", ""}, {"compact", "application/json"}, {"indented", "text/plain"}}
}

// ask plays one request in each form. A request that makes jobs says how many, and they end before the next.
func (a *answers) ask(t *testing.T, name, method, path, body string, jobs int64) {
	t.Helper()
	var out bytes.Buffer
	for _, form := range forms() {
		header := []string{"Accept: " + form.accept}
		if a.token != "" {
			header = append(header, "Pipeline-Token: "+a.token)
		}
		w := a.h.Call(method, path, body, header...)
		fmt.Fprintf(&out, "== %s %d %s\n%s\n", form.name, w.Code, w.Header().Get("Content-Type"),
			scrub(w.Body.String()))
		for range jobs {
			a.jobs++
			a.h.ended(t, a.r, a.jobs)
		}
	}
	routetest.Golden(t, "answers/"+name, out.Bytes())
}

const answersPath = "/api/v1.1/project/vcs_a/ada/stoa"

// TestAnswers holds the bytes of every operation's answer in all encodings.
func TestAnswers(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.Requests.Burst = 10_000
	run(t, c, nil, func(t *testing.T, h *testServer) {
		h.engine.Play(playOdd)
		a := &answers{h: h, r: h.repo(t, "ada", "stoa", false), token: h.Token("ada"), jobs: 6}
		h.push(t, a.r, "main", oddPipeline, "one "+oddText+"\n\nthe body\nof "+oddText)
		h.until(t, a.r, 1, "success")
		h.push(t, a.r, "red", config(false, "build"), "two")
		h.until(t, a.r, 4, "failed")
		h.push(t, a.r, "feature/ü&x", config(false, "build"), "three [skip ci]")
		h.push(t, a.r, "main", "jobs: [", "four")
		h.until(t, a.r, 6, "failed")
		a.readJobs(t)
		a.changeJobs(t)
		a.changeProject(t)
		a.secrets(t)
		a.token = ""
		for name, path := range map[string]string{"page-project": "/vcs_a/ada/stoa", "page-build": "/vcs_a/ada/stoa/1",
			"events": "/vcs_a/ada/stoa/1/events",
			"badge":  "/vcs_a/ada/stoa.svg", "feed": "/vcs_a/ada/stoa.cc.xml", "page-not-found": "/vcs_a/ada/stoa/99",
			"log": "/vcs_a/ada/stoa/1/log"} {
			w := h.get(path, "192.0.2.9")
			routetest.Golden(t, "answers/"+name, fmt.Appendf(nil, "== %d %s\n%s\n", w.Code,
				w.Header().Get("Content-Type"), scrub(w.Body.String())))
		}
	})
}

func (a *answers) readJobs(t *testing.T) {
	const p = answersPath
	for _, g := range []struct{ name, path string }{
		{"me", "/api/v1.1/me"}, {"projects", "/api/v1.1/projects"}, {"projects-shallow",
			"/api/v1.1/projects?shallow=true"},
		{"recent", "/api/v1.1/recent-builds"}, {"recent-mine", "/api/v1.1/recent-builds?mine=true&limit=2&offset=1"},
		{"builds", p}, {"builds-of-b", "/api/v1.1/project/vcs_b/ada/stoa?limit=1"},
		{"builds-shallow", p + "?shallow=true&limit=2"}, {"builds-failed", p + "?filter=failed&shallow=true"},
		{"builds-none", p + "?offset=1000"},
		{"branch", p + "/tree/red"}, {"build", p + "/1"}, {"build-failed", p + "/4"}, {"build-refused", p + "/6"},
		{"build-waiting", p + "/2"},
		{"artifacts", p + "/1/artifacts"}, {"artifact", p + "/1/artifacts/0/out/a%20b%2Bc/%C3%BC.txt"},
		{"tests", p + "/1/tests"}, {"tests-none", p + "/2/tests"}, {"output", p + "/1/output/102/1"},
		{"output-start", p + "/1/output/102/1?truncate=3"}, {"output-text", p + "/1/output/102/1?file=true"},
		{"build-log", p + "/1/log"}, {"workflow", p + "/1/workflow"}, {"status", p + "/status"},
		{"status-none", p + "/status?branch=none"}, {"user-repos", "/api/v1.1/user/repos"}, {"followers", p + "/users"},
		{"latest", p + "/latest/artifacts?branch=main&filter=successful"},
		{"not-found", p + "/99"}, {"no-vcs", "/api/v1.1/project/vcs_c/ada/stoa"}, {"bad-limit", p + "?limit=-1"},
		{"bad-filter", p + "?filter=odd"}, {"retired", p + "/99/nothing"},
	} {
		a.ask(t, g.name, "GET", g.path, "", 0)
	}
}

func (a *answers) changeJobs(t *testing.T) {
	const p = answersPath
	parameters, err := json.Marshal(map[string]any{"branch": "red", "build_parameters": map[string]any{"A": oddText,
		"B": 1.50, "C": true}})
	must(t, err)
	a.ask(t, "trigger", "POST", p, string(parameters), 1)
	a.ask(t, "trigger-branch", "POST", p+"/tree/red", `{"no_dependency_cache":true}`, 1)
	a.ask(t, "trigger-build", "POST", p+"/build", `{"branch":"red"}`, 1)
	a.ask(t, "retry", "POST", p+"/4/retry", "", 1)
	a.ask(t, "ssh", "POST", p+"/4/ssh", "", 1)
	a.ask(t, "ssh-users", "POST", p+"/4/ssh-users", "", 0)
	a.ask(t, "build-after-retries", "GET", p+"/4", "", 0)
	a.ask(t, "build-with-parameters", "GET", p+"/7", "", 0)
	a.ask(t, "cancel", "POST", p+"/2/cancel", "", 0)
	a.ask(t, "approve-too-late", "POST", p+"/2/approve", "", 0)
	a.ask(t, "build-never-run", "GET", p+"/3", "", 0)
	a.ask(t, "trigger-no-branch", "POST", p+"/tree/none", "", 0)
	a.ask(t, "trigger-bad", "POST", p, `{"parallel":"many"}`, 0)
	a.ask(t, "trigger-syntax", "POST", p, `{"parallel":`, 0)
}

func (a *answers) changeProject(t *testing.T) {
	const p = answersPath
	a.ask(t, "unfollow", "POST", p+"/unfollow", "", 0)
	a.ask(t, "follow", "POST", p+"/follow", "", 0)
	a.ask(t, "follow-projects", "POST", "/api/v1.1/user/follow-projects",
		`{"vcs-urls":["http://stoa.test/git/ada/stoa.git"]}`, 0)
	a.ask(t, "preferences", "PUT", "/api/v1.1/user/save-preferences", `{"basic_email_prefs":"none"}`, 0)
	a.ask(t, "disable", "DELETE", p+"/enable", "", 0)
	a.ask(t, "enable", "POST", p+"/enable", "", 0)
	a.ask(t, "change-settings", "PUT", p+"/settings", `{"feature_flags":{"set-status":true},
		"webhooks":[{"url":"https://hooks.example.com/a","secret":"s"},{"url":"https://hooks.example.com/b"}],
		"slack_channel":"#stoa <\u0026>","nested":{"b":[1.0,1e3,null,true],"a":"\u00fc"}}`, 0)
	a.ask(t, "settings", "GET", p+"/settings", "", 0)
	a.ask(t, "test-hook", "POST", p+"/hooks/webhook/test", "", 0)
	a.ask(t, "retired-key", "POST", "/api/v1.1/user/heroku-key", "{}", 0)
	a.ask(t, "delete-caches", "DELETE", p+"/build-cache", "", 0)
	a.ask(t, "trigger-hooked", "POST", p+"/tree/red", "", 1)
	a.webhooks(t)
}

// webhooks holds what the project's addresses were sent.
func (a *answers) webhooks(t *testing.T) {
	t.Helper()
	type message struct {
		id     string
		sealed []byte
	}
	list, err := database.All(t.Context(), a.h.World.DB, func(s database.Scanner) (m message, err error) {
		err = s.Scan(&m.id, &m.sealed)
		return m, err
	}, `SELECT id, request FROM deliver_messages WHERE service = 'pipelines'`)
	must(t, err)
	bodies := make([]string, 0, len(list))
	for _, m := range list {
		text, err := a.h.World.Seal.For("deliver").Open(m.sealed, []byte(m.id))
		must(t, err)
		var sent struct{ Body []byte }
		must(t, json.Unmarshal(text, &sent))
		bodies = append(bodies, scrub(string(sent.Body)))
	}
	slices.Sort(bodies)
	routetest.Golden(t, "answers/webhooks", []byte(strings.Join(bodies, "\n")+"\n"))
}

func (a *answers) secrets(t *testing.T) {
	const p = answersPath
	key, err := json.Marshal(map[string]string{"hostname": "example.com", "private_key": hostKey})
	must(t, err)
	a.ask(t, "checkout-key-create", "POST", p+"/checkout-key", `{"type":"deploy-key"}`, 0)
	a.ask(t, "checkout-key-create-user", "POST", p+"/checkout-key", `{"type":"user-key"}`, 0)
	a.ask(t, "checkout-keys", "GET", p+"/checkout-key?digest=sha256", "", 0)
	a.ask(t, "checkout-key-delete-none", "DELETE", p+"/checkout-key/none", "", 0)
	a.ask(t, "ssh-key-create", "POST", p+"/ssh-key", string(key), 0)
	a.ask(t, "ssh-keys", "GET", p+"/settings", "", 0)
	a.ask(t, "ssh-key-delete", "DELETE", p+"/ssh-key", `{"hostname":"example.com"}`, 0)
	a.ask(t, "envvar-create", "POST", p+"/envvar", `{"name":"SECRET","value":"correct <horse>"}`, 0)
	a.ask(t, "envvar-replace", "PUT", p+"/envvar/SECRET", `{"value":"short"}`, 0)
	a.ask(t, "envvars", "GET", p+"/envvar", "", 0)
	a.ask(t, "envvar", "GET", p+"/envvar/SECRET", "", 0)
	a.ask(t, "envvar-delete", "DELETE", p+"/envvar/SECRET", "", 0)
	a.ask(t, "token-create", "POST", p+"/token", `{"label":"badge <&>","scope":"status"}`, 0)
	a.ask(t, "tokens", "GET", p+"/token", "", 0)
	a.ask(t, "token-delete", "DELETE", p+"/token/99", "", 0)
	a.ask(t, "no-route", "GET", "/api/v1.1/none", "", 0)
	a.ask(t, "no-method", "DELETE", "/api/v1.1/me", "", 0)
	personal := a.token
	a.token = a.h.Issue(identity.IssueOptions{
		Kind: identity.KindProject, Services: []string{"pipelines"}, Scopes: []string{"all"},
		UserID: a.h.User("ada").ID, Repo: "ada/stoa",
	})
	a.ask(t, "personal", "GET", "/api/v1.1/me", "", 0)
	a.ask(t, "projects-of-a-token", "GET", "/api/v1.1/projects?shallow=true", "", 0)
	a.token = ""
	a.ask(t, "no-credential", "GET", "/api/v1.1/me", "", 0)
	a.token = personal
}

package pipelines_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// testServer is a world with a forge and the service, whose engine is a script.
type testServer struct {
	*identitytest.Server
	service *pipelines.Service
	engine  *pipelines.Engine
	forge   *forge.Forge
	// gates hold runs back until the test says how they end.
	gates *gates
}

// gates are the runs that wait for a verdict, by job name. A job whose name is
// not gated succeeds at once.
type gates struct {
	gated   map[string]bool
	started chan string
	verdict map[string]chan execute.Outcome
}

func newGates(names ...string) *gates {
	g := &gates{gated: map[string]bool{}, started: make(chan string, 64), verdict: map[string]chan execute.Outcome{}}
	for _, n := range names {
		g.gated[n], g.verdict[n] = true, make(chan execute.Outcome, 64)
	}
	return g
}

func (g *gates) play(ctx context.Context, t execute.Task, h execute.Host, r execute.Reporter) (execute.Outcome, error) {
	if err := r.StepStarted(ctx, execute.StepStart{Step: 0, Kind: "run", Name: "echo hello",
		Command: "echo hello"}); err != nil {
		return execute.Infrastructure, err
	}
	if err := r.Output(ctx, 0, "out", fmt.Appendf(nil, "hello from %s node %d of %d\n", t.Job.Name, t.Node,
		t.Nodes)); err != nil {
		return execute.Infrastructure, err
	}
	outcome := execute.Success
	if g.gated[t.Job.Name] {
		g.started <- t.Job.Name
		select {
		case outcome = <-g.verdict[t.Job.Name]:
		case <-ctx.Done():
			return execute.Canceled, nil
		}
	}
	if outcome == execute.Infrastructure {
		return outcome, fmt.Errorf("restore the cache: %w", blob.ErrUnavailable)
	}
	if strings.HasPrefix(t.Job.Name, "keeper") {
		if err := h.Artifact(ctx, "out/report.txt", 5, strings.NewReader("kept!")); err != nil {
			return execute.Infrastructure, err
		}
		if err := h.Tests(ctx, []execute.TestCase{{Name: "adds", Class: "sum", Result: "success",
			Seconds: 0.5}}); err != nil {
			return execute.Infrastructure, err
		}
	}
	end := execute.StepEnd{Step: 0, Outcome: outcome}
	if outcome == execute.Failed {
		end.Code, end.Reason = 1, "the command ended with code 1"
	}
	return outcome, r.StepEnded(ctx, end)
}

func open(t testing.TB, url string, c pipelines.Config, g *gates) *testServer {
	t.Helper()
	h := &testServer{gates: g, engine: &pipelines.Engine{}}
	h.engine.Play(g.play)
	h.Server = identitytest.Open(t, func(w *world.World, idents *identity.Identity) module.Module {
		h.forge = forge.New(w, idents, forge.DefaultConfig())
		h.service = pipelines.NewWith(w, idents, h.forge, c, h.engine)
		repositories := h.forge.Module()
		if err := w.DB.Migrate(t.Context(), append(world.Migrations(), identity.Migrations(),
			repositories.Migrations)...); err != nil {
			t.Fatalf("migrate the forge: %v", err)
		}
		w.Jobs.Register(repositories.Jobs...)
		return h.service.Module()
	}, url)
	return h
}

// run opens a server on each database.
func run(t *testing.T, c pipelines.Config, gated []string, fn func(t *testing.T, h *testServer)) {
	t.Helper()
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, open(t, "", c, newGates(gated...)))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, open(t, databasetest.PostgresURL(t), c, newGates(gated...)))
	})
}

func (h *testServer) actor(name string) forge.Actor {
	u := h.User(name)
	return forge.Actor{ID: u.ID, Name: u.Name}
}

func (h *testServer) repo(t testing.TB, owner, name string, private bool) forge.Repository {
	t.Helper()
	r, err := h.forge.Create(t.Context(), forge.NewRepository{Owner: owner, Name: name, Private: private,
		Actor: h.actor(owner)})
	if err != nil {
		t.Fatalf("create %s/%s: %v", owner, name, err)
	}
	return r
}

// config is a pipeline.yml with one job of each name and, when given, a
// workflow in which each requires the one before.
func config(chain bool, names ...string) string {
	var b strings.Builder
	b.WriteString("version: 2\njobs:\n")
	for _, n := range names {
		fmt.Fprintf(&b, "  %s:\n    steps:\n      - run: echo %s\n", n, n)
	}
	b.WriteString("workflows:\n  version: 2\n  main:\n    jobs:\n")
	for i, n := range names {
		fmt.Fprintf(&b, "      - %s\n", n)
		if chain && i > 0 {
			b.Reset()
			return chained(names)
		}
	}
	return b.String()
}

func chained(names []string) string {
	var b strings.Builder
	b.WriteString("version: 2\njobs:\n")
	for _, n := range names {
		fmt.Fprintf(&b, "  %s:\n    steps:\n      - run: echo %s\n", n, n)
	}
	fmt.Fprintf(&b, "workflows:\n  version: 2\n  main:\n    jobs:\n      - %s\n", names[0])
	for i, n := range names[1:] {
		fmt.Fprintf(&b, "      - %s:\n          requires: [%s]\n", n, names[i])
	}
	return b.String()
}

// push commits a configuration to a branch and makes its jobs.
func (h *testServer) push(t testing.TB, r forge.Repository, branch, config, message string) {
	t.Helper()
	_, err := h.forge.CommitFiles(t.Context(), r, forge.NewCommit{
		Actor: h.actor("ada"), Email: "ada@example.com", Message: message, Branch: branch,
		Files: map[string]string{"pipeline.yml": config},
	})
	if err != nil {
		t.Fatalf("push: %v", err)
	}
	if err := h.World.Jobs.Settle(t.Context()); err != nil {
		t.Fatalf("settle: %v", err)
	}
}

// started waits until a gated job runs.
func (h *testServer) started(t testing.TB) string {
	t.Helper()
	select {
	case name := <-h.gates.started:
		return name
	case <-time.After(20 * time.Second):
		t.Fatal("no job started")
		return ""
	}
}

// until asks for a job until it has the status; the guard is real time because
// workers are.
func (h *testServer) until(t testing.TB, r forge.Repository, num int64, want build.Status) build.Build {
	t.Helper()
	var last build.Build
	guard := time.After(20 * time.Second)
	for {
		b, err := h.service.Build(t.Context(), r, num)
		if err != nil {
			t.Fatalf("job %d: %v", num, err)
		}
		if last = b; b.State.Status == want {
			return b
		}
		select {
		case <-guard:
			t.Fatalf("job %d: got %v (%s), want %s", num, last.State, last.FailReason, want)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (h *testServer) json(t testing.TB, method, path, body, token string, want int) map[string]any {
	t.Helper()
	w := h.send(method, path, body, token)
	if w.Code != want {
		t.Fatalf("%s %s: got %d %s, want %d", method, path, w.Code, w.Body, want)
	}
	var object map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &object); err != nil {
		t.Fatalf("%s %s: %s: %v", method, path, w.Body, err)
	}
	return object
}

func (h *testServer) send(method, path, body, token string, header ...string) *httptest.ResponseRecorder {
	if token != "" {
		header = append(header, "Pipeline-Token: "+token)
	}
	return h.Call(method, path, body, append(header, "Accept: application/json")...)
}

// TestFromPushToFixed follows a project from its first push through failure to
// success, with what each end says.
func TestFromPushToFixed(t *testing.T) {
	run(t, pipelines.DefaultConfig(), []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		say := h.gates.verdict["build"]
		for i, step := range []struct {
			outcome execute.Outcome
			want    build.Status
		}{
			{execute.Success, "success"}, {execute.Failed, "failed"}, {execute.TimedOut, "timedout"},
			{execute.Success, "fixed"}, {execute.Success, "success"},
		} {
			h.push(t, r, "main", config(false, "build"), fmt.Sprintf("change %d\n\nthe body", i))
			h.started(t)
			say <- step.outcome
			b := h.until(t, r, int64(i+1), step.want)
			if b.Subject != fmt.Sprintf("change %d", i) || b.Body != "the body" || b.Branch != "main" ||
				b.Actor.Name != "ada" {
				t.Errorf("job %d: %+v", i+1, b)
			}
			if b.FirstGreen != (i == 0) {
				t.Errorf("job %d: first green %v", i+1, b.FirstGreen)
			}
			if i > 0 && b.Previous.Num != int64(i) {
				t.Errorf("job %d: previous %v, want %d", i+1, b.Previous, i)
			}
		}
	})
}

// TestWorkflow checks that jobs wait for what they require and never run when
// it fails.
func TestWorkflow(t *testing.T) {
	run(t, pipelines.DefaultConfig(), []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(true, "build", "test", "ship"), "one")
		h.started(t)
		for _, num := range []int64{2, 3} {
			if b := h.until(t, r, num, "not_running"); len(b.Workflow.Upstream) != 1 || b.Workflow.ID == "" {
				t.Errorf("job %d: %+v", num, b.Workflow)
			}
		}
		h.gates.verdict["build"] <- execute.Success
		h.until(t, r, 2, "success")
		h.until(t, r, 3, "success")

		h.push(t, r, "main", config(true, "build", "test", "ship"), "two")
		h.started(t)
		h.gates.verdict["build"] <- execute.Failed
		h.until(t, r, 4, "failed")
		for _, num := range []int64{5, 6} {
			if b := h.until(t, r, num, "not_run"); b.DontBuild != build.DontBuildRequires {
				t.Errorf("job %d: dont_build %q", num, b.DontBuild)
			}
		}
	})
}

// TestCancelAndRetry stops a running and a waiting job and runs one again.
func TestCancelAndRetry(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.Concurrency = 1
	run(t, c, []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.started(t)
		h.push(t, r, "main", config(false, "build"), "two")
		h.until(t, r, 2, "queued")
		token := h.Token("ada")
		const path = "/api/v1.1/project/vcs_a/ada/stoa/"
		waiting := h.json(t, "POST", path+"2/cancel", "", token, 200)
		if waiting["status"] != "canceled" || waiting["start_time"] != nil || waiting["canceled"] != true {
			t.Errorf("a waiting job: %v", waiting)
		}
		running := h.json(t, "POST", path+"1/cancel", "", token, 200)
		if running["status"] != "canceled" || running["lifecycle"] != "finished" || running["outcome"] != "canceled" {
			t.Errorf("a running job: %v", running)
		}
		if again := h.json(t, "POST", path+"1/cancel", "", token, 200); again["stop_time"] != running["stop_time"] {
			t.Errorf("a second cancel changed %v to %v", running, again)
		}
		retried := h.json(t, "POST", path+"1/retry", "", token, 200)
		if retried["build_num"] != 3.0 || retried["retry_of"] != 1.0 || retried["why"] != "retry" {
			t.Errorf("a retry: %v", retried)
		}
		h.started(t)
		h.gates.verdict["build"] <- execute.Success
		h.until(t, r, 3, "success")
		if old := h.json(t, "GET", path+"1", "", token, 200); fmt.Sprint(old["retries"]) != "[3]" {
			t.Errorf("the old job: retries %v", old["retries"])
		}
	})
}

// TestDeadWorker checks that what a vanished worker ran is marked and run once
// more, and that what it reports later does not count.
func TestDeadWorker(t *testing.T) {
	c := pipelines.DefaultConfig()
	run(t, c, []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.started(t)
		if err := h.service.StopWorker(); err != nil {
			t.Fatal(err)
		}
		first := h.until(t, r, 1, "retried")
		if first.State.Outcome != build.InfrastructureFail || fmt.Sprint(first.Retries) != "[2]" {
			t.Errorf("the interrupted job: %+v", first.State)
		}
		second := h.until(t, r, 2, "queued")
		if second.RetryOf != 1 || second.Why != build.WhyRebuild {
			t.Errorf("the new job: %+v", second)
		}
		if err := h.service.StartWorker(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		h.started(t)
		if err := h.service.StopWorker(); err != nil {
			t.Fatal(err)
		}
		if b := h.until(t, r, 2, "infrastructure_fail"); len(b.Retries) != 0 {
			t.Errorf("a job that was run again already was run a third time: %v", b.Retries)
		}
	})
}

// TestStoreAway runs a job again that ended because the store did not answer: nothing
// is wrong with the job.
func TestStoreAway(t *testing.T) {
	run(t, pipelines.DefaultConfig(), []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.started(t)
		h.gates.verdict["build"] <- execute.Infrastructure
		if first := h.until(t, r, 1, "retried"); first.State.Outcome != build.InfrastructureFail {
			t.Errorf("the job that met it: %+v", first.State)
		}
		h.started(t)
		h.gates.verdict["build"] <- execute.Success
		if second := h.until(t, r, 2, "success"); second.RetryOf != 1 {
			t.Errorf("the new job: %+v", second)
		}
	})
}

// TestSkipAndSupersede checks the rules of a push.
func TestSkipAndSupersede(t *testing.T) {
	run(t, pipelines.DefaultConfig(), []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "quiet [skip ci]")
		if b := h.until(t, r, 1, "not_run"); b.DontBuild != build.DontBuildSkip {
			t.Errorf("dont_build: %q", b.DontBuild)
		}
		h.push(t, r, "feature/x", config(false, "build"), "one")
		h.started(t)
		h.push(t, r, "feature/x", config(false, "build"), "two")
		h.until(t, r, 2, "canceled")
		h.started(t)
		h.gates.verdict["build"] <- execute.Success
		h.until(t, r, 3, "success")
		h.push(t, r, "main", "jobs: [", "broken")
		if b := h.until(t, r, 4, "failed"); len(b.Messages) != 1 || b.FailReason == "" {
			t.Errorf("a broken configuration: %+v", b)
		}
		list := h.send("GET", "/api/v1.1/project/vcs_a/ada/stoa/tree/feature/x", "", h.Token("ada"))
		encoded := h.send("GET", "/api/v1.1/project/vcs_a/ada/stoa/tree/feature%2Fx", "", h.Token("ada"))
		if list.Code != http.StatusOK || list.Body.String() != encoded.Body.String() ||
			strings.Count(list.Body.String(), `"build_num":`) < 2 {
			t.Errorf("the branch: %d %s", list.Code, list.Body)
		}
	})
}

// TestPushThatStartsNothing checks that a push which starts no jobs takes the place of none, and that one which does is
// not refused for those whose place it takes.
func TestPushThatStartsNothing(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.Queue.OwnerJobs = 1
	run(t, c, []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "nothing [skip ci]")
		h.push(t, r, "feature", config(false, "build"), "one")
		h.started(t)
		h.push(t, r, "feature", config(false, "build"), "only words [skip ci]")
		h.until(t, r, 3, "not_run")
		h.push(t, r, "feature", "jobs: [", "broken")
		h.until(t, r, 4, "failed")
		h.push(t, r, "feature", config(false, "build", "deploy"), "more than may be")
		h.until(t, r, 5, "failed")
		h.until(t, r, 2, "running")
		h.push(t, r, "feature", config(false, "build"), "two")
		h.until(t, r, 2, "canceled")
		h.started(t)
		h.gates.verdict["build"] <- execute.Success
		h.until(t, r, 6, "success")
	})
}

// TestKept reads back what a job printed, kept and tested.
func TestKept(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", true)
		h.push(t, r, "main", config(false, "keeper"), "one")
		h.until(t, r, 1, "success")
		token := h.Token("ada")
		const path = "/api/v1.1/project/vcs_a/ada/stoa/"
		var list []map[string]any
		w := h.send("GET", path+"latest/artifacts?filter=successful&branch=main", "", token)
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list) != 1 ||
			list[0]["path"] != "out/report.txt" {
			t.Fatalf("artifacts: %s: %v", w.Body, err)
		}
		address := strings.TrimPrefix(list[0]["url"].(string), "http://stoa.test")
		if w := h.send("GET", address, "", token); w.Code != 200 || w.Body.String() != "kept!" {
			t.Errorf("the artifact: %d %s", w.Code, w.Body)
		}
		if w := h.send("GET", address, "", ""); w.Code != http.StatusUnauthorized {
			t.Errorf("the artifact without a token: %d", w.Code)
		}
		tests := h.json(t, "GET", path+"1/tests", "", token, 200)
		if fmt.Sprint(tests["tests"].([]any)[0].(map[string]any)["run_time"]) != "0.5" {
			t.Errorf("tests: %v", tests)
		}
		detail := h.json(t, "GET", path+"1", "", token, 200)
		steps := detail["steps"].([]any)
		action := steps[1].(map[string]any)["actions"].([]any)[0].(map[string]any)
		output := strings.TrimPrefix(action["output_url"].(string), "http://stoa.test")
		if w := h.send("GET", output, "", ""); w.Code != 200 || !strings.Contains(w.Body.String(),
			"hello from keeper node 0 of 1") {
			t.Errorf("signed output: %d %s", w.Code, w.Body)
		}
		if w := h.send("GET", strings.Split(output, "?")[0], "", ""); w.Code != http.StatusUnauthorized {
			t.Errorf("unsigned output: %d", w.Code)
		}
		h.Clock.Advance(10*time.Minute + time.Second)
		if w := h.send("GET", output, "", ""); w.Code != http.StatusUnauthorized {
			t.Errorf("signed output after ten minutes: %d %s", w.Code, w.Body)
		}
		h.Clock.Advance(31 * 24 * time.Hour)
		if err := h.service.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if w := h.send("GET", address, "", token); w.Code != http.StatusNotFound {
			t.Errorf("an expired artifact: %d", w.Code)
		}
	})
}

// TestLeaseRunsOut checks that a job whose worker no longer answers is given up
// and run again, and that the old run ends without a trace.
func TestLeaseRunsOut(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.Lease = 3 * time.Second
	run(t, c, []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.started(t)
		b := h.until(t, r, 1, "running")
		if err := h.service.Orphan(t.Context(), b.ID); err != nil {
			t.Fatal(err)
		}
		if b := h.until(t, r, 1, "retried"); b.FailReason == "" {
			t.Errorf("no reason: %+v", b)
		}
		h.started(t)
		h.gates.verdict["build"] <- execute.Success
		h.until(t, r, 2, "success")
		if b := h.until(t, r, 1, "retried"); fmt.Sprint(b.Retries) != "[2]" {
			t.Errorf("retries: %v", b.Retries)
		}
	})
}

// TestManyAtOnce checks that numbers are given out once, however many ask, and that
// a deleted repository leaves nothing behind.
func TestManyAtOnce(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one [skip ci]")
		var (
			mu   sync.Mutex
			nums = map[int64]int{}
			work sync.WaitGroup
		)
		for range 4 {
			work.Go(func() {
				for range 5 {
					made, err := h.service.Trigger(context.Background(), r, pipelines.TriggerOptions{}, h.actor("ada"),
						build.WhyAPI)
					if err != nil {
						t.Errorf("trigger: %v", err)
						return
					}
					again, err := h.service.Retry(context.Background(), r, made[0].Num, h.actor("ada"), build.WhyRetry,
						false)
					if err != nil {
						t.Errorf("retry: %v", err)
						return
					}
					if _, err := h.service.Cancel(context.Background(), r, made[0].Num, h.actor("ada")); err != nil {
						t.Errorf("cancel: %v", err)
					}
					mu.Lock()
					nums[made[0].Num]++
					nums[again.Num]++
					mu.Unlock()
				}
			})
		}
		work.Wait()
		for num := int64(2); num <= 41; num++ {
			if nums[num] != 1 {
				t.Errorf("number %d was given out %d times", num, nums[num])
			}
			h.ended(t, r, num)
		}
		if err := h.forge.Delete(t.Context(), r.ID, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		if err := h.service.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if b, err := h.service.Build(t.Context(), r, 2); err == nil {
			t.Errorf("a job outlived its repository: %+v", b)
		}
	})
}

// ended waits until a job has come to an end.
func (h *testServer) ended(t testing.TB, r forge.Repository, num int64) {
	t.Helper()
	for guard := time.After(20 * time.Second); ; {
		b, err := h.service.Build(t.Context(), r, num)
		if err != nil {
			t.Fatalf("job %d: %v", num, err)
		}
		if b.State.Ended() {
			return
		}
		select {
		case <-guard:
			t.Fatalf("job %d: still %v", num, b.State)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

const heldPipeline = `version: 2
jobs:
  build:
    parallelism: 3
    steps:
      - run: echo build
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

// TestApproval runs a job on three nodes and holds a workflow until a user
// lets it go on.
func TestApproval(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", heldPipeline, "one")
		h.until(t, r, 1, "success")
		token := h.Token("ada")
		const path = "/api/v1.1/project/vcs_a/ada/stoa/"
		detail := h.json(t, "GET", path+"1", "", token, 200)
		steps := detail["steps"].([]any)
		if actions := steps[1].(map[string]any)["actions"].([]any); len(actions) != 3 || detail["parallel"] != 3.0 {
			t.Errorf("%v nodes, actions %v", detail["parallel"], actions)
		}
		if flow := h.json(t, "GET", path+"2/workflow", "", token, 200); flow["status"] != "on_hold" ||
			len(flow["jobs"].([]any)) != 3 {
			t.Errorf("the workflow: %v", flow["status"])
		}
		h.until(t, r, 3, "not_running")
		if w := h.send("POST", path+"2/approve", "", h.Token("grace")); w.Code != http.StatusForbidden {
			t.Errorf("approved without a right: %d", w.Code)
		}
		if o := h.json(t, "POST", path+"2/approve", "", token, 200); o["status"] != "success" {
			t.Errorf("approved: %v", o["status"])
		}
		h.until(t, r, 3, "success")
		if w := h.send("POST", path+"2/approve", "", token); w.Code != http.StatusConflict {
			t.Errorf("approved twice: %d %s", w.Code, w.Body)
		}
		if flow := h.json(t, "GET", path+"2/workflow", "", token, 200); flow["status"] != "success" {
			t.Errorf("the workflow at its end: %v", flow["status"])
		}
	})
}

// TestFollowSaysWhatFailed checks that a project which could not be built at its first follower is no success.
func TestFollowSaysWhatFailed(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		const path = "/api/v1.1/project/vcs_a/ada/stoa/"
		r := h.repo(t, "ada", "stoa", false)
		must(t, h.service.Break(t.Context(), "pipelines_builds", "INSERT", "1 = 1"))
		_, err := h.forge.CommitFiles(t.Context(), r, forge.NewCommit{
			Actor: h.actor("ada"), Email: "ada@example.com", Message: "one", Branch: "main",
			Files: map[string]string{"pipeline.yml": config(false, "build")},
		})
		must(t, err)
		h.json(t, "POST", path+"follow", "", h.Token("ada"), 500)
		must(t, h.service.Mend(t.Context(), "pipelines_builds"))
		if made := h.json(t, "POST", path+"follow", "", h.Token("ada"), 200); made["first_build"] == nil {
			t.Errorf("followed: %v, want a first job", made)
		}
	})
}

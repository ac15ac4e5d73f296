package pipelines_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

const foreign = `version: 2.1
jobs:
  native:
    docker: [{image: "cimg/go:1.26"}, {image: "postgres:16"}]
    steps: [{run: go test}]
  apple:
    macos: {xcode: 15.4.0}
    steps: [{run: xcodebuild}]
  ship:
    machine: true
    steps: [{run: ship}]
workflows:
  main:
    jobs: [native, apple, ship: {requires: [native, apple]}]
`

// TestNothingIgnoredInSilence checks that what a file asks for in vain is said in messages, in the log and on the page,
// and that a job for another system does not run.
func TestNothingIgnoredInSilence(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "app", false)
		h.push(t, r, "main", foreign, "add")
		b := h.until(t, r, 1, "success")
		const image = "pipeline.yml:4:15: the image cimg/go:1.26 is not used"
		if len(b.Messages) != 2 || b.Messages[0].Type != "warning" || !strings.Contains(b.Messages[0].Message, image) {
			t.Errorf("messages %+v, want warnings about both images", b.Messages)
		}
		log := h.send("GET", "/api/v1.1/project/vcs_a/ada/app/1/log", "", "").Body.String()
		if !strings.Contains(log, image) || !strings.Contains(log, "postgres:16 does not run beside the job") {
			t.Errorf("the log does not say it:\n%s", log)
		}
		if page := h.get("/vcs_a/ada/app/1", "").Body.String(); !strings.Contains(page, image) {
			t.Error("the page does not say it")
		}
		apple := h.until(t, r, 2, "failed")
		if !strings.Contains(apple.FailReason, "written for macos") || !apple.StartTime.IsZero() {
			t.Errorf("the job for another system: %q, started %s", apple.FailReason, apple.StartTime)
		}
		if len(apple.Messages) != 1 || apple.Messages[0].Message != apple.FailReason {
			t.Errorf("messages %+v, want the refusal alone: the others say how the job runs", apple.Messages)
		}
		if b := h.until(t, r, 3, "not_run"); b.DontBuild != build.DontBuildRequires {
			t.Errorf("what requires it: %q", b.DontBuild)
		}
		token := h.Token("ada")
		if got := h.send("POST", "/api/v1.1/project/vcs_a/ada/app/2/retry", "", token).Code; got != 400 {
			t.Errorf("its retry answers %d, want 400", got)
		}
	})
}

func TestForeignJobsRunWhereAllowed(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.RunForeign = true
	run(t, c, nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "app", false)
		h.push(t, r, "main", foreign, "add")
		if b := h.until(t, r, 2, "success"); len(b.Messages) != 1 || !strings.Contains(b.Messages[0].Message, "macos") {
			t.Errorf("messages %+v, want one about the system", b.Messages)
		}
		h.until(t, r, 3, "success")
	})
}

// TestOrbFolder checks that the newest version that a reference admits is read, and nothing outside of the folder.
func TestOrbFolder(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "acme"), 0o755))
	for _, version := range []string{"1.2.3", "1.10.0", "2.0.0"} {
		text := "version: 2.1\ncommands: {say: {steps: [{run: echo from " + version + "}]}}\n"
		must(t, os.WriteFile(filepath.Join(dir, "acme", "tools@"+version+".yml"), []byte(text), 0o644))
	}
	c := pipelines.DefaultConfig()
	c.Orbs = dir
	run(t, c, nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "app", false)
		for i, tc := range []struct{ reference, want string }{
			{"acme/tools@1", "echo from 1.10.0"}, {"acme/tools@1.2", "echo from 1.2.3"},
			{"acme/tools@volatile", "echo from 2.0.0"}, {"acme/tools@3", "acme/tools@3 is not in the folder"},
			{"../tools@1", "../tools@1 is not in the folder"},
		} {
			text := fmt.Sprintf("version: 2.1\norbs: {t: %s}\njobs: {build: {steps: [t/say]}}\n", tc.reference)
			h.push(t, r, "main", text, "change "+tc.reference)
			b, err := h.service.Build(t.Context(), r, int64(i+1))
			must(t, err)
			plan, err := h.service.PlannedCommands(t.Context(), b.ID)
			must(t, err)
			if !strings.Contains(plan+b.FailReason, tc.want) {
				t.Errorf("%s: %s %s, want %s", tc.reference, plan, b.FailReason, tc.want)
			}
		}
	})
}

const nightly = `version: 2.1
jobs: {sweep: {steps: [{run: "echo << pipeline.trigger_source >> << pipeline.number >>"}]}}
workflows:
  nightly:
    triggers: [{schedule: {cron: "0 3 * * *", filters: {branches: {only: main}}}}]
    jobs: [sweep]
`

// TestScheduleRunsOnce checks that a due time makes its jobs once: when the process dies while it does, when it is
// asked for again, and when two ask at once; and that the next due time waits afterwards.
func TestScheduleRunsOnce(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "app", false)
		h.push(t, r, "main", nightly, "add")
		h.push(t, r, "other", nightly, "add elsewhere")
		count := func(text string) int64 {
			t.Helper()
			n, err := h.service.Count(t.Context(), text)
			must(t, err)
			return n
		}
		const builds, waiting = `SELECT COUNT(*) FROM pipelines_builds`, `SELECT COUNT(*) FROM pipelines_schedules`
		if n := count(builds); n != 0 {
			t.Fatalf("%d jobs before the time has come", n)
		}
		if n := count(waiting); n != 1 {
			t.Fatalf("%d schedules, want that of main", n)
		}
		next := nextThree(h.World.Clock.Now())
		ask := func() error { return h.service.Due(t.Context(), r.ID, "main", "nightly", "0 3 * * *", next) }
		start := func() error {
			return h.service.Scheduled(t.Context(), "request", r.ID, "main", "nightly", "0 3 * * *")
		}
		must(t, h.service.Break(t.Context(), "pipelines_builds", "INSERT", "branch = 'main'"))
		if err := start(); err == nil {
			t.Error("a due time was done although its jobs could not be written")
		}
		must(t, h.service.Mend(t.Context(), "pipelines_builds"))
		if n := count(builds); n != 0 {
			t.Fatalf("%d jobs of a due time that failed", n)
		}
		must(t, start())
		must(t, start())
		if n := count(builds); n != 1 {
			t.Errorf("%d jobs of one request", n)
		}
		var both sync.WaitGroup
		for range 4 {
			both.Go(func() {
				if err := ask(); err != nil {
					t.Errorf("due: %v", err)
				}
			})
		}
		both.Wait()
		must(t, ask())
		must(t, h.World.Jobs.Settle(t.Context()))
		if n := count(builds); n != 2 {
			t.Errorf("%d jobs, want one more of one due time", n)
		}
		if b := h.until(t, r, 1, "success"); b.Why != build.WhySchedule || b.Workflow.Name != "nightly" {
			t.Errorf("the job is %s of %s", b.Why, b.Workflow.Name)
		}
		const due = `SELECT COUNT(*) FROM stoa_jobs WHERE kind = 'pipelines.due'`
		if n := count(due); n != 2 {
			t.Errorf("%d due times wait, want the first and the next", n)
		}
		h.push(t, r, "main", strings.Replace(nightly, "0 3", "0 4", 1), "change")
		must(t, ask())
		must(t, h.service.Scheduled(t.Context(), "late", r.ID, "main", "nightly", "0 3 * * *"))
		must(t, h.World.Jobs.Settle(t.Context()))
		if n := count(builds); n != 2 {
			t.Errorf("%d jobs after the schedule was changed", n)
		}
		before := count(due)
		for range 3 {
			h.push(t, r, "main", nightly, "and back")
			h.push(t, r, "main", strings.Replace(nightly, "0 3", "0 4", 1), "and again")
		}
		if n := count(due); n != before {
			t.Errorf("%d due times wait after a schedule came back, %d before", n, before)
		}
	})
}

func nextThree(now time.Time) time.Time {
	now = now.UTC()
	at := time.Date(now.Year(), now.Month(), now.Day(), 3, 0, 0, 0, time.UTC)
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at
}

// TestTimingsOfEarlierJobs checks that a job gets what the tests of its predecessor took.
func TestTimingsOfEarlierJobs(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		got := make(chan []execute.Timing, 2)
		h.engine.Play(func(
			ctx context.Context, task execute.Task, host execute.Host, _ execute.Reporter,
		) (execute.Outcome, error) {
			got <- task.Timings
			return execute.Success, host.Tests(ctx, []execute.TestCase{
				{Name: "adds", Class: "sum", File: "./sum_test.go", Result: "success", Seconds: 2},
				{Name: "removes", Class: "sum", File: "sum_test.go", Result: "success", Seconds: 1},
			})
		})
		r := h.repo(t, "ada", "app", false)
		text := "version: 2\njobs: {test: {steps: [{run: split --split-by=timings}]}}\n"
		h.push(t, r, "main", text, "one")
		h.until(t, r, 1, "success")
		if first := <-got; len(first) != 0 {
			t.Errorf("the first job has timings %v", first)
		}
		h.push(t, r, "main", text+"# again\n", "two")
		h.until(t, r, 2, "success")
		want := []execute.Timing{
			{Kind: "classname", Name: "sum", Seconds: 3}, {Kind: "filename", Name: "sum_test.go", Seconds: 3},
			{Kind: "testname", Name: "adds", Seconds: 2}, {Kind: "testname", Name: "removes", Seconds: 1},
		}
		if second := <-got; !slices.Equal(second, want) {
			t.Errorf("timings %v, want %v", second, want)
		}
	})
}

// TestTriggerForms checks the forms in which a trigger comes, and the ways to the newest job.
func TestTriggerForms(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "app", false)
		h.push(t, r, "main", onejob("build"), "add")
		token := h.Token("ada")
		part := func(name, value string) string {
			return "--xx\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
		}
		post := func(body, kind string) (int, string) {
			w := h.send("POST", "/api/v1.1/project/vcs_a/ada/app", body, token, "Content-Type: "+kind)
			return w.Code, w.Body.String()
		}
		const form = "multipart/form-data; boundary=xx"
		body := part("branch", "main") + part("config", onejob("other")) + part("build_parameters[A]", "b") + "--xx--\r\n"
		if code, text := post(body, form); code != 201 || !strings.Contains(text, `"job_name":"other"`) ||
			!strings.Contains(text, `"A":"b"`) {
			t.Errorf("a form with a configuration: %d %s", code, text)
		}
		for name, body := range map[string]string{
			"cut": part("branch", "main"), "no part": "x", "bytes": part("branch", "a\xff") + "--xx--\r\n",
			"a mistake": part("config", "version: 9\n") + "--xx--\r\n",
		} {
			if code, text := post(body, form); name != "a mistake" && code != 400 ||
				name == "a mistake" && !strings.Contains(text, "the configuration of the request:1:10: the version") {
				t.Errorf("%s: %d %s", name, code, text)
			}
		}
		if code, _ := post(part("config", strings.Repeat("#", 300<<10))+"--xx--\r\n", form); code != 413 {
			t.Errorf("a large form: %d, want 413", code)
		}
		latest := h.json(t, "GET", "/api/v1.1/project/vcs_a/ada/app/latest", "", token, 200)
		older := h.json(t, "GET", "/api/v1/project/ada/app/latest?job=other", "", token, 200)
		if latest["build_num"] != 3.0 || older["build_num"] != 2.0 {
			t.Errorf("latest is %v, of v1 %v; want 3 and 2", latest["build_num"], older["build_num"])
		}
		h.json(t, "GET", "/api/v1/me", "", token, 200)
		h.json(t, "GET", "/api/v1/project/vcs_a/ada/app/1", "", token, 200)
	})
}

// TestSerialGroup checks that of two projects of one owner one deploys at a time, in the order of their pushes.
func TestSerialGroup(t *testing.T) {
	gated := []string{"one", "two", "free"}
	run(t, pipelines.DefaultConfig(), gated, func(t *testing.T, h *testServer) {
		first, second := h.repo(t, "ada", "first", false), h.repo(t, "ada", "second", false)
		text := func(job, group string) string {
			return "version: 2.1\njobs: {" + job + ": {steps: [{run: x}]}}\nworkflows: {w: {jobs: [{" + job +
				": {serial-group: " + group + "}}]}}\n"
		}
		h.push(t, first, "main", text("one", "deploy"), "add")
		if name := h.started(t); name != "one" {
			t.Fatalf("%s started, want one", name)
		}
		h.push(t, second, "main", text("two", "deploy"), "add")
		h.push(t, second, "main", text("free", "other"), "change")
		if name := h.started(t); name != "free" {
			t.Fatalf("%s started while one runs, want free", name)
		}
		h.gates.verdict["one"] <- execute.Failed
		if name := h.started(t); name != "two" {
			t.Fatalf("%s started, want two", name)
		}
		h.gates.verdict["two"] <- execute.Success
		h.gates.verdict["free"] <- execute.Success
		h.until(t, second, 1, "success")
		h.until(t, second, 2, "success")
	})
}

// TestSetupContinues checks that a setup job brings the second part of its pipeline, once.
func TestSetupContinues(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		const next = "version: 2.1\nparameters: {deep: {type: boolean, default: false}}\njobs: {after: {steps: [{run: " +
			"\"<< pipeline.number >> << pipeline.parameters.deep >> << pipeline.git.branch >>\"}]}}\n" +
			"workflows: {second: {jobs: [after]}}\n"
		h.engine.Play(func(
			ctx context.Context, task execute.Task, host execute.Host, _ execute.Reporter,
		) (execute.Outcome, error) {
			if !task.Job.Setup {
				return execute.Success, nil
			}
			for range 2 {
				err := host.(execute.Continuer).Continue(ctx, []byte(next), []byte(`{"deep": true}`))
				if err != nil {
					return execute.Infrastructure, err
				}
			}
			return execute.Success, nil
		})
		r := h.repo(t, "ada", "app", false)
		h.push(t, r, "topic", "version: 2.1\nsetup: true\njobs: {choose: {steps: [{run: echo << pipeline.number >>}]}}\n"+
			"workflows: {setup: {jobs: [choose]}}\n", "add")
		h.until(t, r, 1, "success")
		must(t, h.World.Jobs.Settle(t.Context()))
		b := h.until(t, r, 2, "success")
		commands, err := h.service.PlannedCommands(t.Context(), b.ID)
		if err != nil || commands != "1 true topic\n" || b.Workflow.Name != "second" || b.Why != build.WhyPush {
			t.Errorf("the second part is %q of %s (%s), %v", commands, b.Workflow.Name, b.Why, err)
		}
		if n, err := h.service.Count(t.Context(), `SELECT COUNT(*) FROM pipelines_builds`); n != 2 || err != nil {
			t.Errorf("%d jobs, %v, want one of each part", n, err)
		}
	})
}

// TestRepeatedSetupContinuesOnce checks that a setup job whose worker is lost again and again continues its pipeline
// once.
func TestRepeatedSetupContinuesOnce(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.Reruns = 2
	run(t, c, nil, func(t *testing.T, h *testServer) {
		var runs atomic.Int64
		h.engine.Play(func(
			ctx context.Context, task execute.Task, host execute.Host, _ execute.Reporter,
		) (execute.Outcome, error) {
			if !task.Job.Setup {
				return execute.Success, nil
			}
			const next = "version: 2.1\njobs: {build: {steps: [run: echo]}}\n"
			if err := host.(execute.Continuer).Continue(ctx, []byte(next), []byte(`{}`)); err != nil {
				return execute.Infrastructure, err
			}
			if runs.Add(1) < 3 {
				return execute.Infrastructure, blob.ErrUnavailable
			}
			return execute.Success, nil
		})
		r := h.repo(t, "ada", "app", false)
		h.push(t, r, "topic", "version: 2.1\nsetup: true\njobs: {build: {steps: [run: echo]}}\n", "add")
		h.until(t, r, 1, "retried")
		h.until(t, r, 2, "retried")
		h.until(t, r, 3, "success")
		must(t, h.World.Jobs.Settle(t.Context()))
		h.until(t, r, 4, "success")
		if n, err := h.service.Count(t.Context(), `SELECT COUNT(*) FROM pipelines_builds`); n != 4 || err != nil {
			t.Errorf("%d jobs, %v, want three of the setup and one of the second part", n, err)
		}
	})
}

// TestSetupContinuesForEachRun checks that a setup job that a user runs again, in whatever way, continues its pipeline
// again.
func TestSetupContinuesForEachRun(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		const next = "version: 2.1\njobs: {after: {steps: [run: echo]}}\nworkflows: {second: {jobs: [after]}}\n"
		h.engine.Play(func(
			ctx context.Context, task execute.Task, host execute.Host, _ execute.Reporter,
		) (execute.Outcome, error) {
			if !task.Job.Setup {
				return execute.Success, nil
			}
			return execute.Success, host.(execute.Continuer).Continue(ctx, []byte(next), []byte(`{}`))
		})
		r := h.repo(t, "ada", "app", false)
		h.push(t, r, "topic", "version: 2.1\nsetup: true\njobs: {choose: {steps: [run: echo]}}\n"+
			"workflows: {setup: {jobs: [choose]}}\n", "add")
		for n, action := range []string{"", "retry", "ssh"} {
			setup := int64(2*n + 1)
			if action != "" {
				h.json(t, "POST", "/api/v1.1/project/vcs_a/ada/app/1/"+action, "", h.Token("ada"), 200)
			}
			h.until(t, r, setup, "success")
			must(t, h.World.Jobs.Settle(t.Context()))
			if b, err := h.service.Build(t.Context(), r, setup+1); err != nil || b.JobName != "after" {
				t.Errorf("%q of the setup is followed by %q, %v, want the second part", action, b.JobName, err)
			}
		}
	})
}

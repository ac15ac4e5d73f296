package pipelines_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// rowsOfJob counts what is stored of a job.
func (h *testServer) rowsOfJob(t testing.TB, id int64) (n int64) {
	t.Helper()
	n, err := h.service.Count(t.Context(), `SELECT (SELECT COUNT(*) FROM pipelines_builds WHERE id = $1)
		+ (SELECT COUNT(*) FROM pipelines_details WHERE build_id = $1)
		+ (SELECT COUNT(*) FROM pipelines_actions WHERE build_id = $1)
		+ (SELECT COUNT(*) FROM pipelines_output WHERE build_id = $1)
		+ (SELECT COUNT(*) FROM pipelines_tests WHERE build_id = $1)
		+ (SELECT COUNT(*) FROM pipelines_artifacts WHERE build_id = $1)`, id)
	must(t, err)
	return n
}

// skipNumbers makes a project look as if so many newer jobs had been made.
func (h *testServer) skipNumbers(t testing.TB, r forge.Repository, n int64) {
	t.Helper()
	must(t, h.service.Exec(t.Context(), `UPDATE pipelines_projects SET last_num = last_num + $2 WHERE repo_id = $1`,
		r.ID, n))
}

// keepEverything has a job store one of each thing that is kept of it.
func keepEverything(ctx context.Context, _ execute.Task, host execute.Host,
	r execute.Reporter) (execute.Outcome, error) {
	return execute.Success, errors.Join(
		r.StepStarted(ctx, execute.StepStart{Kind: "run", Name: "x", Command: "x"}),
		r.Output(ctx, 0, "out", []byte("printed")),
		host.Tests(ctx, []execute.TestCase{{Name: "t", Result: "success"}}),
		host.Artifact(ctx, "a", 8, strings.NewReader("artifact")),
		r.StepEnded(ctx, execute.StepEnd{Outcome: execute.Success}),
	)
}

// TestOldJobsGo checks that jobs beyond the number that a project keeps, and those that ended long ago, are deleted
// with all that is kept of them, and that the newest of a project stay however old they are.
func TestOldJobsGo(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.KeptJobs, c.ArtifactLife = 200, c.JobLife+24*time.Hour
	run(t, c, nil, func(t *testing.T, h *testServer) {
		h.engine.Play(keepEverything)
		made := map[string]build.Build{}
		for name, newer := range map[string]int64{"busy": 200, "aged": 100, "quiet": 99} {
			r := h.repo(t, "ada", name, false)
			h.push(t, r, "main", config(false, "build"), "one")
			made[name] = h.until(t, r, 1, "success")
			h.skipNumbers(t, r, newer)
		}
		whole := h.rowsOfJob(t, made["quiet"].ID)
		check := func(when string, want map[string]bool) {
			t.Helper()
			must(t, h.service.Sweep(t.Context()))
			stay := 0
			for name, b := range made {
				rows := h.rowsOfJob(t, b.ID)
				if want[name] && rows != whole || !want[name] && rows != 0 {
					t.Errorf("%s: %d rows of the job of %s, want all %d: %v", when, rows, name, whole, want[name])
				}
				if want[name] {
					stay++
				}
			}
			if n, err := h.service.Blobs(t.Context(), "pipelines/artifacts/"); err != nil || n != stay {
				t.Errorf("%s: the bytes of %d artifacts, %v, want %d", when, n, err, stay)
			}
		}
		check("at once", map[string]bool{"aged": true, "quiet": true})
		must(t, h.service.Exec(t.Context(), `DELETE FROM pipelines_output`)) // it has a life of its own
		whole = h.rowsOfJob(t, made["quiet"].ID)
		h.Clock.Advance(c.JobLife - time.Hour)
		check("before their life ends", map[string]bool{"aged": true, "quiet": true})
		h.Clock.Advance(2 * time.Hour)
		check("after their life", map[string]bool{"quiet": true})
		if w := h.send("GET", "/api/v1.1/project/vcs_a/ada/aged/1", "", h.Token("ada")); w.Code != 404 {
			t.Errorf("a deleted job: %d, want 404", w.Code)
		}
	})
}

// TestJobsOfOpenWorkflowsStay checks that a job on which an unfinished one of its workflow depends is not deleted.
func TestJobsOfOpenWorkflowsStay(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.KeptJobs = 100
	run(t, c, nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", `version: 2.1
jobs:
  build: { steps: [ { run: echo } ] }
workflows:
  main:
    jobs:
      - build
      - hold: { type: approval, requires: [build] }
`, "one")
		b := h.until(t, r, 1, "success")
		h.skipNumbers(t, r, 500)
		must(t, h.service.Sweep(t.Context()))
		if h.rowsOfJob(t, b.ID) == 0 {
			t.Fatal("a job of a workflow that waits for an approval was deleted")
		}
		_, err := h.service.Cancel(t.Context(), r, 2, h.actor("ada"))
		must(t, err)
		must(t, h.service.Sweep(t.Context()))
		if rows := h.rowsOfJob(t, b.ID); rows != 0 {
			t.Errorf("%d rows of a job whose workflow has ended, want none", rows)
		}
	})
}

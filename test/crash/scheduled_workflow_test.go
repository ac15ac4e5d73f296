package crash_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/test/program"
)

// scheduledPipeline has one workflow that is due every minute.
const scheduledPipeline = `version: 2.1
jobs:
  build:
    docker: [{image: x}]
    steps:
      - run: echo due
workflows:
  every-minute:
    triggers:
      - schedule:
          cron: "* * * * *"
          filters: {branches: {only: main}}
    jobs: [build]
`

// TestKillAtDueTime kills the server again and again while a scheduled workflow is due:
// the workflow is run for that time, and once. Where two kills hit the job that starts it,
// the job is dead, and an operator retries it; the schedule itself goes on.
func TestKillAtDueTime(t *testing.T) {
	t.Parallel()
	binary, err := program.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killAtDueTime(t, shortJobs(binary, t.TempDir()))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		r := shortJobs(binary, t.TempDir())
		r.args = append(r.args, "--database", databasetest.PostgresURL(t))
		killAtDueTime(t, r)
	})
}

func killAtDueTime(t *testing.T, r *jobRun) {
	t.Helper()
	r.config = scheduledPipeline
	r.start(t)
	r.push(t)
	due := time.Now().Truncate(time.Minute).Add(time.Minute)
	if time.Until(due) < 5*time.Second { // the push may be looked at after it
		due = due.Add(time.Minute)
	}
	for range often(1, 5) {
		time.Sleep(time.Until(due))
		for kill := range 4 {
			time.Sleep(time.Duration(rand.Int64N(int64(300 * time.Millisecond))))
			r.restart(t)
			t.Logf("kill %d, %s after the due time", kill+1, time.Since(due).Round(time.Millisecond))
		}
		r.awaitScheduled(t, due)
		r.awaitSchedule(t, due)
		due = due.Add(time.Minute)
	}
	r.settle(t)
	seen := map[string]bool{}
	for _, at := range r.scheduled(t) {
		minute := at.Format("15:04")
		if seen[minute] {
			t.Errorf("the workflow of %s was run twice", minute)
		}
		seen[minute] = true
	}
	t.Logf("the workflow was run at %v", r.scheduled(t))
}

// awaitScheduled waits until the workflow of a due time is made.
func (r *jobRun) awaitScheduled(t *testing.T, due time.Time) {
	t.Helper()
	for until := time.Now().Add(45 * time.Second); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		for _, at := range r.scheduled(t) {
			if !at.Before(due) {
				return
			}
		}
		for _, j := range r.queued(t, "pipelines.scheduled", "dead") {
			t.Logf("%s is dead: %s", j.ID, j.Error)
			r.command(t, "jobs", "retry", j.ID)
		}
	}
	t.Fatalf("the workflow of %s is not run\n%s", due, r.process.Output())
}

// awaitSchedule waits until the schedule stands at a time after a due one.
func (r *jobRun) awaitSchedule(t *testing.T, due time.Time) {
	t.Helper()
	for until := time.Now().Add(45 * time.Second); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		waiting := r.queued(t, "pipelines.due", "ready")
		if len(waiting) == 1 && waiting[0].Next.After(due) {
			return
		}
	}
	t.Fatalf("the schedule does not wait for the time after %s: %v", due, r.queued(t, "pipelines.due", "ready"))
}

// queuedJob is a row of the queue as operators see it.
type queuedJob struct {
	ID, Error string
	Next      time.Time
}

// queued are the jobs of a kind in a state.
func (r *jobRun) queued(t *testing.T, kind, state string) []queuedJob {
	t.Helper()
	var page struct{ Jobs []queuedJob }
	if err := json.Unmarshal(r.command(t, "jobs", "list", "--json", "--kind", kind, "--state", state), &page); err != nil {
		t.Fatal(err)
	}
	return page.Jobs
}

// command runs an operator's command beside the server.
func (r *jobRun) command(t *testing.T, args ...string) []byte {
	t.Helper()
	for i, a := range r.args {
		if a == "--database" {
			args = append(args, a, r.args[i+1])
		}
	}
	out, err := exec.Command(r.binary, append(args, "--data", r.data)...).Output()
	if err != nil {
		t.Fatalf("stoa %v: %v\n%s", args, err, out)
	}
	return out
}

// scheduled are the times at which workflows were begun by their schedule. A job that was
// interrupted is run again by another, which is not counted.
func (r *jobRun) scheduled(t *testing.T) (out []time.Time) {
	t.Helper()
	var page []struct {
		Why     string    `json:"why"`
		RetryOf int64     `json:"retry_of"`
		Queued  time.Time `json:"usage_queued_at"`
	}
	r.call(t, "GET", fmt.Sprintf("?limit=%d", 100), http.StatusOK, &page)
	for _, j := range page {
		if j.Why == "schedule" && j.RetryOf == 0 {
			out = append(out, j.Queued)
		}
	}
	return out
}

package pipelines_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/project"
)

// quick is a configuration whose leases are looked at every second.
func quick() pipelines.Config {
	c := pipelines.DefaultConfig()
	c.Lease = 3 * time.Second
	c.Queue.OwnerPlaces = 4
	return c
}

// logged waits until the log holds a text.
func (h *testServer) logged(t testing.TB, want string) {
	t.Helper()
	for guard := time.After(20 * time.Second); !strings.Contains(h.Log.String(), want); {
		select {
		case <-guard:
			t.Fatalf("the log never said %q:\n%s", want, h.Log)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// restart is the end of the process and another one.
func (h *testServer) restart(t testing.TB, capacity int) {
	t.Helper()
	must(t, h.service.StopWorker())
	must(t, h.service.StartWorker(t.Context(), capacity))
	t.Cleanup(func() { must(t, h.service.StopWorker()) })
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOneJobHoldsUpNoOther checks that a process starts, and looks after the
// other jobs, when one that was left behind cannot be ended.
func TestOneJobHoldsUpNoOther(t *testing.T) {
	run(t, quick(), []string{"one", "two"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "one", "two"), "change")
		h.started(t)
		h.started(t)
		for num := int64(1); num <= 2; num++ {
			must(t, h.service.Orphan(t.Context(), h.until(t, r, num, "running").ID))
		}
		bad := h.until(t, r, 1, "running")
		must(t, h.service.Exec(t.Context(), `UPDATE pipelines_details SET commits = '{' WHERE build_id = $1`, bad.ID))
		h.restart(t, 2)
		h.until(t, r, 2, "retried")
		h.until(t, r, 1, "running")
		h.logged(t, "lost job not ended")
	})
}

// TestEndThatWasNotWritten checks that a process finds its own jobs lost too.
func TestEndThatWasNotWritten(t *testing.T) {
	run(t, quick(), []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "change")
		h.started(t)
		b := h.until(t, r, 1, "running")
		must(t, h.service.Break(t.Context(), "pipelines_builds", "UPDATE", "lifecycle = 'finished'"))
		h.gates.verdict["build"] <- execute.Success
		h.logged(t, "end of job not written")
		must(t, h.service.Mend(t.Context(), "pipelines_builds"))
		must(t, h.service.EndLease(t.Context(), b.ID))
		h.until(t, r, 1, "retried")
		h.gates.verdict["build"] <- execute.Success
		h.until(t, r, 2, "success")
	})
}

// TestOddBytes checks that what a job calls its steps and its failure cannot
// keep it from ending.
func TestOddBytes(t *testing.T) {
	run(t, quick(), nil, func(t *testing.T, h *testServer) {
		h.engine.Play(func(ctx context.Context, _ execute.Task, host execute.Host,
			r execute.Reporter) (execute.Outcome, error) {
			if err := r.StepStarted(ctx, execute.StepStart{Kind: "run", Name: "a\x00b\xff",
				Command: "echo \x00 hi \xff"}); err != nil {
				return execute.Infrastructure, err
			}
			if err := host.Artifact(ctx, "out/\xff", 1, strings.NewReader("x")); err == nil ||
				!strings.Contains(err.Error(), "refused") {
				return execute.Infrastructure, fmt.Errorf("an odd name: %w", err)
			}
			if err := host.SaveCache(ctx, "key\x00", strings.NewReader("x")); err == nil ||
				!strings.Contains(err.Error(), "refused") {
				return execute.Infrastructure, fmt.Errorf("an odd key: %w", err)
			}
			return execute.Failed, r.StepEnded(ctx, execute.StepEnd{Outcome: execute.Failed, Code: -1,
				Reason: "it ended \xff\x00"})
		})
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "change")
		if b := h.until(t, r, 1, "failed"); b.FailReason != "it ended \uFFFD\uFFFD" {
			t.Errorf("got reason %q", b.FailReason)
		}
	})
}

// TestDatabaseAway checks that a job goes on when what it prints has to wait, and
// that nothing of it is lost.
func TestDatabaseAway(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		begin, print, end := make(chan struct{}), make(chan struct{}), make(chan struct{})
		h.engine.Play(func(ctx context.Context, _ execute.Task, _ execute.Host, r execute.Reporter) (execute.Outcome,
			error) {
			if err := r.StepStarted(ctx, execute.StepStart{Kind: "run", Name: "x", Command: "x"}); err != nil {
				return execute.Infrastructure, err
			}
			close(begin)
			<-print
			if err := r.Output(ctx, 0, "out", []byte("printed meanwhile")); err != nil {
				return execute.Infrastructure, err
			}
			select {
			case <-ctx.Done():
				return execute.Canceled, nil
			case <-end:
			}
			return execute.Success, r.StepEnded(ctx, execute.StepEnd{Outcome: execute.Success})
		})
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "change")
		<-begin
		must(t, h.service.Break(t.Context(), "pipelines_output", "INSERT", "step > 100"))
		close(print)
		h.logged(t, "output of job not written")
		must(t, h.service.Mend(t.Context(), "pipelines_output"))
		close(end)
		h.until(t, r, 1, "success")
		if w := h.send("GET", "/api/v1.1/project/vcs_a/ada/stoa/1/output/101/0?file=true", "",
			h.Token("ada")); w.Body.String() != "printed meanwhile" {
			t.Errorf("output: %d %q", w.Code, w.Body)
		}
	})
}

// TestRefusedClaim checks that nothing runs which could not be claimed: others
// would run it too.
func TestRefusedClaim(t *testing.T) {
	run(t, quick(), []string{"one", "two"}, func(t *testing.T, h *testServer) {
		must(t, h.service.StopWorker())
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "one", "two"), "change")
		must(t, h.service.Break(t.Context(), "pipelines_builds", "UPDATE", "lifecycle = 'running' AND num = 2"))
		h.restart(t, 2)
		h.logged(t, "job claim failed")
		must(t, h.service.Mend(t.Context(), "pipelines_builds"))
		var began []string
		for len(began) < 2 || !slices.Contains(began, "two") {
			name := h.started(t)
			began = append(began, name)
			h.gates.verdict[name] <- execute.Success
		}
		h.until(t, r, 1, "success")
		h.until(t, r, 2, "success")
		if len(began)+len(h.gates.started) != 2 {
			t.Errorf("runs: %v and %d more, want each job once", began, len(h.gates.started))
		}
	})
}

// TestNodesTakeTurns checks that nodes count like jobs.
func TestNodesTakeTurns(t *testing.T) {
	t.Parallel()
	c := pipelines.DefaultConfig()
	c.Concurrency, c.Queue.OwnerPlaces = 2, 2
	h := open(t, "", c, newGates("build"))
	r := h.repo(t, "ada", "stoa", false)
	h.push(t, r, "main", "version: 2\njobs:\n  build:\n    parallelism: 6\n    steps:\n      - run: echo\n", "change")
	h.started(t)
	h.started(t)
	select {
	case <-h.gates.started:
		t.Error("three nodes at once, want 2")
	case <-time.After(100 * time.Millisecond):
	}
	for range 6 {
		h.gates.verdict["build"] <- execute.Success
	}
	for range 4 {
		h.started(t)
	}
	h.until(t, r, 1, "success")
	h.push(t, r, "main", "version: 2\njobs:\n  build:\n    parallelism: 6\n    steps:\n      - run: echo\n", "again")
	h.started(t)
	if _, err := h.service.Cancel(t.Context(), r, 2, h.actor("ada")); err != nil {
		t.Fatal(err)
	}
	h.until(t, r, 2, "canceled")
}

// TestKeysAreSecrets checks that private keys are hidden in output like variables.
func TestKeysAreSecrets(t *testing.T) {
	t.Parallel()
	h := open(t, "", pipelines.DefaultConfig(), newGates())
	seen := make(chan execute.Task, 1)
	h.engine.Play(func(_ context.Context, task execute.Task, _ execute.Host, _ execute.Reporter) (execute.Outcome,
		error) {
		seen <- task
		return execute.Success, nil
	})
	r := h.repo(t, "ada", "stoa", false)
	if _, err := h.service.Projects().CreateCheckoutKey(t.Context(), r, project.DeployKey, ""); err != nil {
		t.Fatal(err)
	}
	h.push(t, r, "main", config(false, "build"), "change")
	h.until(t, r, 1, "success")
	task := <-seen
	if len(task.Keys) != 1 || !slices.Contains(task.Secrets, string(task.Keys[0].Private)) {
		t.Errorf("%d keys, %d secrets: the key is not hidden", len(task.Keys), len(task.Secrets))
	}
}

// TestStartWithoutRunning checks that a server on SQLite which runs no jobs still
// looks after those that the process before it left.
func TestStartWithoutRunning(t *testing.T) {
	t.Parallel()
	h := open(t, "", pipelines.DefaultConfig(), newGates("build"))
	r := h.repo(t, "ada", "stoa", false)
	h.push(t, r, "main", config(false, "build"), "change")
	h.started(t)
	must(t, h.service.Orphan(t.Context(), h.until(t, r, 1, "running").ID))
	h.restart(t, 0)
	h.until(t, r, 1, "retried")
	h.until(t, r, 2, "queued")
}

// TestDatabaseAwayForLong checks that a job whose output cannot be written for as
// long as its lease is lost, not canceled, and run again.
func TestDatabaseAwayForLong(t *testing.T) {
	run(t, quick(), nil, func(t *testing.T, h *testServer) {
		begin, print := make(chan struct{}), make(chan struct{})
		ended, mended := make(chan struct{}), make(chan struct{})
		h.engine.Play(func(ctx context.Context, task execute.Task, _ execute.Host,
			r execute.Reporter) (execute.Outcome, error) {
			if task.BuildNum > 1 {
				return execute.Success, nil
			}
			close(begin)
			<-print
			if err := r.StepStarted(ctx, execute.StepStart{Kind: "run", Name: "x", Command: "x"}); err != nil {
				return execute.Infrastructure, err
			}
			if err := r.Output(ctx, 0, "out", []byte("printed")); err != nil {
				return execute.Infrastructure, err
			}
			<-ctx.Done()
			close(ended)
			<-mended
			return execute.Canceled, nil
		})
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "change")
		<-begin
		must(t, h.service.Break(t.Context(), "pipelines_output", "INSERT", "step > 100"))
		close(print)
		<-ended
		must(t, h.service.Mend(t.Context(), "pipelines_output"))
		close(mended)
		if b := h.until(t, r, 1, "retried"); b.FailReason != "the database was away for too long" {
			t.Errorf("got reason %q", b.FailReason)
		}
		h.until(t, r, 2, "success")
	})
}

// TestSettleWaits checks that a lab which waits for everything waits for jobs.
func TestSettleWaits(t *testing.T) {
	run(t, quick(), []string{"build"}, func(t *testing.T, h *testServer) {
		settle, busy := h.service.Module().Settle, h.service.Module().Busy
		if found, err := busy(t.Context()); found || err != nil {
			t.Fatalf("without a job: busy %v, %v", found, err)
		}
		if waited, err := settle(t.Context()); waited || err != nil {
			t.Fatalf("without a job: waited %v, %v", waited, err)
		}
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "change")
		h.started(t)
		if found, err := busy(t.Context()); !found || err != nil {
			t.Errorf("while a job runs: busy %v, %v", found, err)
		}
		bounded, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if waited, err := settle(bounded); !waited || err == nil {
			t.Fatalf("while a job runs: waited %v, %v", waited, err)
		}
		h.gates.verdict["build"] <- execute.Success
		if waited, err := settle(t.Context()); err != nil {
			t.Fatalf("after its end: waited %v, %v", waited, err)
		}
		if waited, err := settle(t.Context()); waited || err != nil {
			t.Errorf("afterwards: waited %v, %v", waited, err)
		}
	})
}

package pipelines_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/runner"
)

// pushBy commits a configuration in the name of a user and makes its jobs.
func (h *testServer) pushBy(t testing.TB, r forge.Repository, name, config string) {
	t.Helper()
	_, err := h.forge.CommitFiles(t.Context(), r, forge.NewCommit{
		Actor: h.actor(name), Email: name + "@example.com", Message: "change", Branch: "main",
		Files: map[string]string{"pipeline.yml": config},
	})
	must(t, err)
	must(t, h.World.Jobs.Settle(t.Context()))
}

// numbered is a list of job names.
func numbered(name string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s%d", name, i)
	}
	return list
}

// TestNewcomerStartsAtOnce checks that an owner with many long jobs leaves a
// place to others, with single nodes and with many.
func TestNewcomerStartsAtOnce(t *testing.T) {
	for name, config := range map[string]string{
		"jobs":  config(false, numbered("long", 40)...),
		"nodes": "version: 2\njobs:\n  long0:\n    parallelism: 64\n    steps:\n      - run: sleep 3600\n",
	} {
		t.Run(name, func(t *testing.T) {
			run(t, pipelines.DefaultConfig(), append(numbered("long", 40), "short"), func(t *testing.T, h *testServer) {
				eve, mal := h.repo(t, "ada", "eve", false), h.repo(t, "bob", "mal", false)
				h.pushBy(t, eve, "ada", config)
				for range 3 {
					h.started(t)
				}
				h.pushBy(t, mal, "bob", onejob("short"))
				if name := h.started(t); name != "short" {
					t.Fatalf("%s started, want short", name)
				}
				select {
				case name := <-h.gates.started:
					t.Errorf("%s started besides, want the owner to hold 3 of 4 places", name)
				case <-time.After(50 * time.Millisecond):
				}
			})
		})
	}
}

func onejob(name string) string {
	return "version: 2\njobs:\n  " + name + ":\n    steps:\n      - run: echo hi\n"
}

// TestOwnersTakeTurns checks that with a single place owners alternate, however
// many jobs one of them has queued before.
func TestOwnersTakeTurns(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.Concurrency = 1
	run(t, c, append(numbered("long", 6), numbered("short", 2)...), func(t *testing.T, h *testServer) {
		eve, mal := h.repo(t, "ada", "eve", false), h.repo(t, "bob", "mal", false)
		h.pushBy(t, eve, "ada", config(false, numbered("long", 6)...))
		first := h.started(t)
		h.pushBy(t, mal, "bob", config(false, numbered("short", 2)...))
		order := []string{first}
		for i := range 7 {
			h.gates.verdict[order[i]] <- execute.Success
			order = append(order, h.started(t))
		}
		if got := strings.Join(order[:5], " "); got != "long0 short0 long1 short1 long2" {
			t.Errorf("order %v, want the owners in turn", order)
		}
		h.gates.verdict[order[7]] <- execute.Success
		h.until(t, eve, 6, "success")
	})
}

// TestBoundsOfRunning checks that the bounds of an owner and a project are kept
// by several workers together.
func TestBoundsOfRunning(t *testing.T) {
	for name, set := range map[string]func(*runner.Queue){
		"owner":   func(q *runner.Queue) { q.OwnerRunning = 2 },
		"project": func(q *runner.Queue) { q.ProjectRunning = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			c := pipelines.DefaultConfig()
			set(&c.Queue)
			run(t, c, numbered("long", 6), func(t *testing.T, h *testServer) {
				r := h.repo(t, "ada", "stoa", false)
				stop, err := h.service.SecondWorker(t.Context(), 4, h.engine)
				must(t, err)
				t.Cleanup(stop)
				h.pushBy(t, r, "ada", config(false, numbered("long", 6)...))
				running := map[string]bool{}
				for range 6 {
					for len(running) < 2 {
						running[h.started(t)] = true
					}
					select {
					case name := <-h.gates.started:
						t.Fatalf("%s started beside %v, want 2 at once", name, running)
					case <-time.After(30 * time.Millisecond):
					}
					for name := range running {
						h.gates.verdict[name] <- execute.Success
						delete(running, name)
						break
					}
					if n, err := h.service.Unfinished(t.Context()); err != nil || n <= 2 {
						return
					}
				}
			})
		})
	}
}

// TestBoundsOfUnfinished checks that triggers beyond the bound are refused with the
// reason, by the API in its envelope and for a push by a job that failed.
func TestBoundsOfUnfinished(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.Queue.OwnerJobs = 5
	run(t, c, append(numbered("long", 4), "late"), func(t *testing.T, h *testServer) {
		r, other := h.repo(t, "ada", "stoa", false), h.repo(t, "ada", "other", false)
		h.pushBy(t, r, "ada", config(false, numbered("long", 4)...))
		h.pushBy(t, other, "ada", config(false, "late", "later"))
		b := h.until(t, other, 1, "failed")
		want := "Too many jobs: the account has 4 unfinished ones and this would add 2, the limit is 5."
		if b.JobName != "Build Error" || !strings.HasPrefix(b.FailReason, want) || len(b.Messages) != 1 {
			t.Errorf("push: %s %q %v, want %q", b.JobName, b.FailReason, b.Messages, want)
		}
		w := h.send("POST", "/api/v1.1/project/vcs_a/ada/stoa", "{}", h.Token("ada"))
		if w.Code != 429 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(),
			"the limit is 5") {
			t.Errorf("trigger: %d %s, want 429 with the reason", w.Code, w.Body)
		}
		h.json(t, "POST", "/api/v1.1/project/vcs_a/ada/stoa/4/retry", "", h.Token("ada"), 200)
		if w := h.send("POST", "/api/v1.1/project/vcs_a/ada/stoa/4/retry", "", h.Token("ada")); w.Code != 429 {
			t.Errorf("retry: %d %s, want 429", w.Code, w.Body)
		}
	})
}

// TestManyJobsOfALongFile checks that what all jobs of a push keep is bounded: each
// has the whole configuration.
func TestManyJobsOfALongFile(t *testing.T) {
	t.Parallel()
	h := open(t, "", pipelines.DefaultConfig(), newGates())
	r := h.repo(t, "ada", "stoa", false)
	long := strings.Repeat("# a comment of a line, neither long nor short\n", 4000)
	h.pushBy(t, r, "ada", config(false, numbered("job", 400)...)+long)
	b := h.until(t, r, 1, "failed")
	if b.JobName != "Build Error" || !strings.Contains(b.FailReason, "are kept with each of 400 jobs") {
		t.Errorf("%s %q, want a refusal", b.JobName, b.FailReason)
	}
}

// TestReportsAreWeighed checks that the tests of a job, which every caller may ask for
// in a public project, are read only while there is memory for them.
func TestReportsAreWeighed(t *testing.T) {
	t.Parallel()
	h := open(t, "", pipelines.DefaultConfig(), newGates())
	r := h.repo(t, "ada", "stoa", false)
	h.push(t, r, "main", config(false, "keeper"), "change")
	b := h.until(t, r, 1, "success")
	const path = "/api/v1.1/project/vcs_a/ada/stoa/1/"
	for _, resource := range []string{"tests", "artifacts", "log", "artifacts/0/out/report.txt"} {
		if w := h.send("GET", path+resource, "", ""); w.Code != 200 {
			t.Errorf("%s: %d %s, want 200", resource, w.Code, w.Body)
		}
	}
	must(t, h.service.Exec(t.Context(), `UPDATE pipelines_tests SET results = $2 WHERE build_id = $1`, b.ID,
		`[{"Message":"`+strings.Repeat("x", 80<<20)+`"}]`))
	for _, resource := range []string{"tests", "artifacts"} {
		if w := h.send("GET", path+resource, "", ""); w.Code != 413 {
			t.Errorf("%s of 80 MiB: %d, want 413", resource, w.Code)
		}
	}
}

// TestListedParametersAreWeighed checks that a list of jobs, each of which was made with
// as many parameters as a request holds, is put together only while there is memory for it.
func TestListedParametersAreWeighed(t *testing.T) {
	t.Parallel()
	h := open(t, "", pipelines.DefaultConfig(), newGates())
	r := h.repo(t, "ada", "stoa", false)
	h.push(t, r, "main", config(false, "keeper"), "change")
	b := h.until(t, r, 1, "success")
	const list = "/api/v1.1/project/vcs_a/ada/stoa"
	set := func(bytes int) {
		t.Helper()
		must(t, h.service.Exec(t.Context(), `UPDATE pipelines_builds SET parameters = $2, version = version + 1 WHERE id = $1`,
			b.ID, `{"A":"`+strings.Repeat("x", bytes)+`"}`))
	}
	set(200 << 10)
	if w := h.send("GET", list, "", ""); w.Code != 200 || w.Body.Len() < 200<<10 {
		t.Errorf("%d with %d kB, want 200", w.Code, w.Body.Len()>>10)
	}
	set(90 << 20)
	for _, query := range []string{"", "?limit=1"} {
		if w := h.send("GET", list+query, "", ""); w.Code != 413 && w.Code != 429 {
			t.Errorf("%q with 90 MiB: %d with %d kB, want 413 or 429", query, w.Code, w.Body.Len()>>10)
		}
	}
}

// TestStepsAreWeighed checks that the steps of a job, of which 64 nodes may have 500
// each and every caller may ask for, are read only while there is memory for them.
func TestStepsAreWeighed(t *testing.T) {
	t.Parallel()
	h := open(t, "", pipelines.DefaultConfig(), newGates())
	r := h.repo(t, "ada", "stoa", false)
	h.push(t, r, "main", config(false, "keeper"), "change")
	b := h.until(t, r, 1, "success")
	paths := []string{"/api/v1.1/project/vcs_a/ada/stoa/1", "/vcs_a/ada/stoa/1", "/vcs_a/ada/stoa/1/events"}
	ask := func(path string) *httptest.ResponseRecorder {
		if strings.HasPrefix(path, "/api/") {
			return h.send("GET", path, "", "")
		}
		return h.get(path, "192.0.2.1")
	}
	for _, path := range paths {
		if w := ask(path); w.Code != 200 {
			t.Errorf("%s: %d %s, want 200", path, w.Code, w.Body)
		}
	}
	must(t, h.service.Exec(t.Context(), `
		INSERT INTO pipelines_actions (build_id, step, node, name, kind, command, status, started_at, ended_at,
			exit_code, background, output_size, truncated)
		WITH RECURSIVE steps(step) AS (SELECT 1000 UNION ALL SELECT step + 1 FROM steps WHERE step < 4500)
		SELECT $1, s.step, n.step, name, kind, command, status, started_at, ended_at, exit_code, background, 0, truncated
		FROM steps s, (SELECT step - 1000 AS step FROM steps WHERE step < 1064) n,
			(SELECT * FROM pipelines_actions WHERE build_id = $1 LIMIT 1) a`, b.ID))
	for _, path := range paths {
		if w := ask(path); w.Code != 429 && w.Code != 413 {
			t.Errorf("%s with 224,000 steps: %d with %d kB, want 429 or 413", path, w.Code, w.Body.Len()>>10)
		}
	}
}

// TestBoundIsExact checks that triggers of one owner in several projects at the
// same moment do not pass the bound together.
func TestBoundIsExact(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.Queue.OwnerJobs = 7
	run(t, c, numbered("long", 3), func(t *testing.T, h *testServer) {
		must(t, h.service.StopWorker())
		var all sync.WaitGroup
		for i := range 6 {
			r := h.repo(t, "ada", fmt.Sprintf("stoa%d", i), false)
			_, err := h.forge.CommitFiles(t.Context(), r, forge.NewCommit{
				Actor: h.actor("bob"), Email: "b@example.com", Message: "[ci skip]", Branch: "main",
				Files: map[string]string{"pipeline.yml": config(false, numbered("long", 2)...)},
			})
			must(t, err)
			all.Go(func() {
				// Some are refused; what counts is the sum.
				_, _ = h.service.Trigger(t.Context(), r, pipelines.TriggerOptions{}, h.actor("ada"), build.WhyAPI)
			})
		}
		all.Wait()
		if n, err := h.service.Unfinished(t.Context()); err != nil || n != 6 {
			t.Errorf("%d unfinished jobs, %v, want 6: three triggers of two below 7", n, err)
		}
	})
}

// TestPushesThatWait checks that of the pushes beyond those that may wait the newest of each branch is kept, once, and
// built when another has left the queue.
func TestPushesThatWait(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "change")
		h.until(t, r, 1, "success")
		before := h.rows(t)
		must(t, h.service.FillPushes(t.Context(), h.actor("ada").ID))
		for i := range 5 {
			h.push(t, r, "main", config(false, "build"), fmt.Sprint("more ", i))
			h.push(t, r, "gone", config(false, "build"), fmt.Sprint("more ", i))
		}
		if got := h.rows(t) - before; got != 2 {
			t.Errorf("10 pushes to two branches left %d rows, want 2", got)
		}
		must(t, h.forge.DeleteRef(t.Context(), r, "refs/heads/gone", h.actor("ada")))
		if got := h.rows(t) - before; got != 1 {
			t.Errorf("a deleted branch left %d rows, want 1 of the other", got)
		}
		h.Clock.Advance(time.Hour)
		must(t, h.World.Jobs.Settle(t.Context()))
		b := h.until(t, r, 2, "success")
		head, err := h.forge.Head(t.Context(), r, "refs/heads/main")
		must(t, err)
		if b.Branch != "main" || b.Revision != head || len(b.Messages) == 0 ||
			!strings.HasPrefix(b.Messages[0].Message, "4 earlier pushes to main were not looked at") {
			t.Errorf("the job of branch %s at %s says %v, want main at %s", b.Branch, b.Revision, b.Messages, head)
		}
		if got := h.rows(t) - before; got != 1 {
			t.Errorf("%d rows and jobs more than before, want the job alone", got)
		}
	})
}

// rows counts jobs and pushes that are kept beside the queue.
func (h *testServer) rows(t testing.TB) int64 {
	t.Helper()
	n, err := h.service.Count(t.Context(),
		`SELECT (SELECT COUNT(*) FROM pipelines_builds) + (SELECT COUNT(*) FROM pipelines_late_pushes)`)
	must(t, err)
	return n
}

// TestLatePushesOutliveTheQueue checks that a push which was kept beside a full queue is built although every push on
// the queue was discarded, and that a newer push to the branch that is queued takes its place.
func TestLatePushesOutliveTheQueue(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		must(t, h.service.FillPushes(t.Context(), h.actor("ada").ID))
		h.push(t, r, "main", config(false, "build"), "late")
		must(t, h.service.Sweep(t.Context()))
		if got := h.rows(t); got != 1 {
			t.Fatalf("%d rows and jobs while the queue is full, want the late push", got)
		}
		must(t, h.service.DropPushes(t.Context()))
		must(t, h.service.Sweep(t.Context()))
		must(t, h.World.Jobs.Settle(t.Context()))
		h.until(t, r, 1, "success")
		must(t, h.service.FillPushes(t.Context(), h.actor("ada").ID))
		h.push(t, r, "main", config(false, "build"), "late again")
		must(t, h.service.DropPushes(t.Context()))
		h.push(t, r, "main", config(false, "build"), "newest")
		if b := h.until(t, r, 2, "success"); b.Subject != "newest" || len(b.Messages) != 1 {
			t.Errorf("the job of %q says %v, want newest, with a message", b.Subject, b.Messages)
		}
		if got := h.rows(t); got != 2 {
			t.Errorf("%d rows and jobs, want the two jobs", got)
		}
	})
}

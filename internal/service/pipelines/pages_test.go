package pipelines_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route/accessrecheck"
	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// get asks for a page from an address.
func (h *testServer) get(path, address string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://stoa.test"+path, nil)
	r.RemoteAddr = address + ":1"
	w := httptest.NewRecorder()
	h.service.Pages().ServeHTTP(w, r)
	return w
}

// TestPagesReadTheBeginning checks that no page unpacks megabytes: what
// follows the beginning is damaged, and the page is not.
func TestPagesReadTheBeginning(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		h.engine.Play(func(ctx context.Context, _ execute.Task, _ execute.Host, r execute.Reporter) (execute.Outcome,
			error) {
			if err := r.StepStarted(ctx, execute.StepStart{Kind: "run", Name: "x", Command: "x"}); err != nil {
				return execute.Infrastructure, err
			}
			if err := r.Output(ctx, 0, "out", []byte(strings.Repeat("chatter\n", 200_000))); err != nil {
				return execute.Infrastructure, err
			}
			return execute.Success, r.StepEnded(ctx, execute.StepEnd{Outcome: execute.Success})
		})
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		b := h.until(t, r, 1, "success")
		must(t, h.service.Exec(t.Context(), `UPDATE pipelines_output SET packed = $2 WHERE build_id = $1 AND step > 100 AND seq > 2`, b.ID, []byte{255, 255}))
		if w := h.get("/vcs_a/ada/stoa/1", "192.0.2.9"); w.Code != 200 ||
			!strings.Contains(w.Body.String(), "The rest is in the") || w.Body.Len() > 100_000 {
			t.Errorf("the page: %d, %d bytes", w.Code, w.Body.Len())
		}
		const output = "/api/v1.1/project/vcs_a/ada/stoa/1/output/101/0"
		if w := h.send("GET", output+"?truncate=16", "", ""); w.Code != 200 ||
			strings.Count(w.Body.String(), "chatter") != 2 {
			t.Errorf("the output: %d %.200s", w.Code, w.Body)
		}
		if w := h.send("GET", output, "", ""); w.Code != http.StatusInternalServerError {
			t.Errorf("damaged output: %d", w.Code)
		}
	})
}

// TestPagesCutStepNames: a step without a name is called by its command, which a page cuts and the API does not.
func TestPagesCutStepNames(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		command := "make " + strings.Repeat("target ", 20) + "last"
		h.engine.Play(func(ctx context.Context, _ execute.Task, _ execute.Host, r execute.Reporter) (execute.Outcome,
			error) {
			if err := r.StepStarted(ctx, execute.StepStart{Kind: "run", Name: command, Command: command}); err != nil {
				return execute.Infrastructure, err
			}
			return execute.Success, r.StepEnded(ctx, execute.StepEnd{Outcome: execute.Success})
		})
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.until(t, r, 1, "success")
		page := h.get("/vcs_a/ada/stoa/1", "192.0.2.9").Body.String()
		if !strings.Contains(page, "target …</span>") || strings.Contains(page, ">"+command) {
			t.Errorf("the page shows the whole command:\n%s", page)
		}
		if w := h.send("GET", "/api/v1.1/project/vcs_a/ada/stoa/1", "", ""); !strings.Contains(w.Body.String(), command) {
			t.Errorf("the API does not have the name: %.900s", w.Body)
		}
	})
}

// stream is an open answer of events.
type stream struct {
	*httptest.ResponseRecorder
	begun chan int // the status, once it is known
}

// WriteHeader implements http.ResponseWriter.
func (s *stream) WriteHeader(status int) {
	s.ResponseRecorder.WriteHeader(status)
	s.begun <- status
}

// follow asks for the events of a job, in the background, and waits for the status.
func (h *testServer) follow(t *testing.T, path, address string) (status int, end func()) {
	t.Helper()
	status, _, end = h.following(t, path, address)
	return status, end
}

// following is follow that also tells when the answer has ended.
func (h *testServer) following(t *testing.T, path, address string) (status int, ended chan struct{}, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://stoa.test"+path, nil)
	r.RemoteAddr = address + ":1"
	s := &stream{ResponseRecorder: httptest.NewRecorder(), begun: make(chan int, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // the mux aborts an answer whose client has gone
		h.service.Pages().ServeHTTP(s, r)
	}()
	end = func() { cancel(); <-done }
	t.Cleanup(end)
	select {
	case status = <-s.begun:
	case <-time.After(20 * time.Second):
		t.Fatal("no answer")
	}
	return status, done, end
}

// TestPageLimits checks that pages have the budget of the API, and streams a
// bound of their own.
func TestPageLimits(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.Requests = pipelines.Requests{Burst: 3, BurstPer: 10 * time.Second, Sustained: 100, SustainedPer: time.Hour}
	run(t, c, nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.until(t, r, 1, "success")
		for i, want := range []int{200, 200, 200, 429} {
			if w := h.get("/vcs_a/ada/stoa/1", "192.0.2.9"); w.Code != want {
				t.Errorf("page %d: got %d, want %d", i, w.Code, want)
			}
		}
	})
}

// TestStreamLimits checks that an address has a bound on its streams, and others
// are not hindered by it.
func TestStreamLimits(t *testing.T) {
	run(t, pipelines.DefaultConfig(), []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.started(t)
		const path, streams = "/vcs_a/ada/stoa/1/events", 32
		var first func()
		for i := range streams {
			status, end := h.follow(t, path, "192.0.2.8")
			if status != http.StatusOK {
				t.Fatalf("stream %d: %d", i, status)
			}
			if first == nil {
				first = end
			}
		}
		if status, _ := h.follow(t, path, "192.0.2.8"); status != http.StatusTooManyRequests {
			t.Errorf("one stream too many: %d", status)
		}
		if status, _ := h.follow(t, path, "192.0.2.7"); status != http.StatusOK {
			t.Errorf("a stream to another address: %d", status)
		}
		first()
		if status, _ := h.follow(t, path, "192.0.2.8"); status != http.StatusOK {
			t.Errorf("a stream after another has ended: %d", status)
		}
	})
}

// TestStreamsEndWithTheRight: who may not read a project any more hears no more of its jobs.
func TestStreamsEndWithTheRight(t *testing.T) {
	run(t, pipelines.DefaultConfig(), []string{"build"}, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.started(t)
		status, ended, _ := h.following(t, "/vcs_a/ada/stoa/1/events", "192.0.2.8")
		if status != http.StatusOK {
			t.Fatalf("got %d", status)
		}
		select {
		case <-ended:
			t.Fatal("the stream ends while its reader may have it")
		case <-time.After(2 * accessrecheck.Every):
		}
		private := true
		if _, err := h.forge.Update(t.Context(), r.ID, forge.Change{Private: &private}, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Error("the stream goes on after the repository became private")
		}
	})
}

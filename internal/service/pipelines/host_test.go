package pipelines_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// TestWhatAProjectKeeps checks that caches, artifacts and workspaces of a project
// have a bound: old caches are deleted for new ones, the others are refused.
func TestWhatAProjectKeeps(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.CacheBytes, c.ArtifactBytes, c.WorkspaceBytes = 100, 100, 100
	run(t, c, nil, func(t *testing.T, h *testServer) {
		seen := make(chan error, 1)
		h.engine.Play(func(ctx context.Context, _ execute.Task, host execute.Host,
			_ execute.Reporter) (execute.Outcome, error) {
			seen <- errors.Join(fillCaches(ctx, host), fillArtifacts(ctx, host), fillWorkspace(ctx, host))
			return execute.Success, nil
		})
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.until(t, r, 1, "success")
		if err := <-seen; err != nil {
			t.Error(err)
		}
		if blobs, err := h.service.Blobs(t.Context(), "pipelines/caches/"); err != nil || blobs != 2 {
			t.Errorf("%d caches in the store, %v, want 2", blobs, err)
		}
	})
}

func fillCaches(ctx context.Context, host execute.Host) error {
	for i := range 5 {
		if err := host.SaveCache(ctx, fmt.Sprintf("epoch-%d", i),
			strings.NewReader(strings.Repeat("x", 40))); err != nil {
			return fmt.Errorf("cache %d: %w", i, err)
		}
	}
	if err := host.SaveCache(ctx, "epoch-4", strings.NewReader("x")); !errors.Is(err, execute.ErrExists) {
		return fmt.Errorf("the newest cache again: %w", err)
	}
	if err := host.SaveCache(ctx, "huge", strings.NewReader(strings.Repeat("x", 101))); !errors.Is(err,
		execute.ErrRefused) {
		return fmt.Errorf("a cache above the bound: got %w, want ErrRefused", err)
	}
	for i, want := range []bool{false, false, false, true, true} {
		key, r, err := host.RestoreCache(ctx, []string{fmt.Sprintf("epoch-%d", i)})
		if err != nil || (key != "") != want {
			return fmt.Errorf("cache %d: got %q, %w, want it: %v", i, key, err, want)
		}
		if r != nil {
			if text, err := io.ReadAll(r); err != nil || len(text) != 40 || r.Close() != nil {
				return fmt.Errorf("cache %d: %d bytes, %w", i, len(text), err)
			}
		}
	}
	return nil
}

func fillArtifacts(ctx context.Context, host execute.Host) error {
	for i := range 2 {
		if err := host.Artifact(ctx, fmt.Sprint(i), 50, strings.NewReader(strings.Repeat("x", 50))); err != nil {
			return err
		}
	}
	if err := host.Artifact(ctx, "more", 1, strings.NewReader("x")); !errors.Is(err, execute.ErrRefused) {
		return fmt.Errorf("an artifact above the bound: got %w, want ErrRefused", err)
	}
	return nil
}

func fillWorkspace(ctx context.Context, host execute.Host) error {
	for range 2 {
		if err := host.Persist(ctx, strings.NewReader(strings.Repeat("x", 50))); err != nil {
			return err
		}
	}
	if err := host.Persist(ctx, strings.NewReader("x")); !errors.Is(err, execute.ErrRefused) {
		return fmt.Errorf("a layer above the bound: got %w, want ErrRefused", err)
	}
	return nil
}

// TestWhatAnOwnerKeeps checks that an account has a bound over all projects.
func TestWhatAnOwnerKeeps(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.OwnerBytes = 120
	run(t, c, nil, func(t *testing.T, h *testServer) {
		seen := make(chan error, 1)
		h.engine.Play(func(ctx context.Context, task execute.Task, host execute.Host,
			_ execute.Reporter) (execute.Outcome, error) {
			text := strings.Repeat("x", 50)
			switch task.Job.Name {
			case "first":
				seen <- errors.Join(host.SaveCache(ctx, "key", strings.NewReader(text)),
					host.Artifact(ctx, "a", 50, strings.NewReader(text)))
			case "second":
				seen <- errors.Join(
					refusedFor(host.SaveCache(ctx, "key", strings.NewReader(text)), "in all projects"),
					refusedFor(host.Artifact(ctx, "a", 50, strings.NewReader(text)), "in all projects"),
					refusedFor(host.Persist(ctx, strings.NewReader(text)), "in all projects"),
					host.Artifact(ctx, "small", 20, strings.NewReader(text[:20])))
			}
			return execute.Success, nil
		})
		for i, name := range []string{"first", "second"} {
			r := h.repo(t, "ada", fmt.Sprint("project", i), false)
			h.push(t, r, "main", config(false, name), "one")
			h.until(t, r, 1, "success")
			if err := <-seen; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		// Another account has a bound of its own.
		h.engine.Play(func(ctx context.Context, _ execute.Task, host execute.Host,
			_ execute.Reporter) (execute.Outcome, error) {
			seen <- host.Artifact(ctx, "b", 50, strings.NewReader(strings.Repeat("x", 50)))
			return execute.Success, nil
		})
		r := h.repo(t, "grace", "hers", false)
		h.pushBy(t, r, "grace", config(false, "third"))
		h.until(t, r, 1, "success")
		if err := <-seen; err != nil {
			t.Errorf("another account: %v", err)
		}
	})
}

func refusedFor(err error, why string) error {
	if !errors.Is(err, execute.ErrRefused) || !strings.Contains(err.Error(), why) {
		return fmt.Errorf("got %w, want ErrRefused with %q", err, why)
	}
	return nil
}

// TestOutputOfAProject checks that what a project prints has a bound, that the
// output says so once for each step, and that the sweep counts it down.
func TestOutputOfAProject(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.OutputBytes = 3000
	run(t, c, nil, func(t *testing.T, h *testServer) {
		h.engine.Play(func(ctx context.Context, task execute.Task, _ execute.Host,
			r execute.Reporter) (execute.Outcome, error) {
			if err := r.StepStarted(ctx, execute.StepStart{Kind: "run", Name: "x", Command: "x"}); err != nil {
				return execute.Infrastructure, err
			}
			for i := range 40 {
				// Numbers that do not pack well.
				sum := sha256.Sum256(fmt.Append(nil, task.BuildNum, " ", i))
				if err := r.Output(ctx, 0, []string{"out", "err"}[i%2], fmt.Appendf(nil, "%x\n", sum)); err != nil {
					return execute.Infrastructure, err
				}
			}
			return execute.Success, r.StepEnded(ctx, execute.StepEnd{Outcome: execute.Success})
		})
		r := h.repo(t, "ada", "stoa", false)
		printed := func(num int64) string {
			t.Helper()
			h.push(t, r, "main", config(false, "build"), fmt.Sprint("change ", num))
			h.until(t, r, num, "success")
			return h.send("GET", fmt.Sprintf("/api/v1.1/project/vcs_a/ada/stoa/%d/output/101/0?file=true", num), "",
				h.Token("ada")).Body.String()
		}
		const note = "No more output is kept"
		if text := printed(1); strings.Contains(text, note) || strings.Count(text, "\n") != 40 {
			t.Errorf("the first job: %q, want all of it", text)
		}
		if text := printed(2); strings.Count(text, note) != 1 || !strings.Contains(text,
			"3000 bytes of output (output_bytes)") || len(text) > 1500 {
			t.Errorf("the second job: %q, want the note once", text)
		}
		if used, err := h.service.OutputBytes(t.Context(), r.ID); err != nil || used < 1000 || used > 3600 {
			t.Errorf("%d bytes are counted, %v, want about 3000 at most", used, err)
		}
		h.Clock.Advance(c.OutputLife + 24*time.Hour)
		must(t, h.service.Sweep(t.Context()))
		if used, err := h.service.OutputBytes(t.Context(), r.ID); err != nil || used != 0 {
			t.Errorf("%d bytes are counted after the sweep, %v, want none", used, err)
		}
		if text := printed(3); strings.Contains(text, note) {
			t.Errorf("after the sweep: %q, want all of it", text)
		}
	})
}

// TestReplacedArtifact checks that an artifact whose place another takes leaves no bytes that are not counted.
func TestReplacedArtifact(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.ArtifactBytes = 100
	run(t, c, nil, func(t *testing.T, h *testServer) {
		seen := make(chan error, 1)
		h.engine.Play(func(ctx context.Context, _ execute.Task, host execute.Host,
			_ execute.Reporter) (execute.Outcome, error) {
			var failed []error
			for _, text := range []string{strings.Repeat("x", 90), strings.Repeat("x", 10), "y"} {
				failed = append(failed, host.Artifact(ctx, "same", int64(len(text)), strings.NewReader(text)))
			}
			seen <- errors.Join(failed...)
			return execute.Success, nil
		})
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.until(t, r, 1, "success")
		if err := <-seen; err != nil {
			t.Error(err)
		}
		if blobs, err := h.service.Blobs(t.Context(), "pipelines/artifacts/"); err != nil || blobs != 1 {
			t.Errorf("%d artifacts in the store, %v, want 1", blobs, err)
		}
		if w := h.send("GET", "/api/v1.1/project/vcs_a/ada/stoa/1/artifacts/0/same", "", ""); w.Body.String() != "y" {
			t.Errorf("the artifact: %d %s, want the last", w.Code, w.Body)
		}
	})
}

// TestBytesOfDeletedProjects checks that the bytes of a deleted repository go with what counted them: an account that
// makes and deletes repositories would pass its bound.
func TestBytesOfDeletedProjects(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		seen := make(chan error, 1)
		h.engine.Play(func(ctx context.Context, _ execute.Task, host execute.Host,
			_ execute.Reporter) (execute.Outcome, error) {
			seen <- errors.Join(host.SaveCache(ctx, "key", strings.NewReader("cache")),
				host.Artifact(ctx, "a", 8, strings.NewReader("artifact")), host.Persist(ctx, strings.NewReader("layer")))
			return execute.Success, nil
		})
		var repos []forge.Repository
		for _, name := range []string{"gone", "stays"} {
			r := h.repo(t, "ada", name, false)
			h.push(t, r, "main", config(false, "build"), "one")
			h.until(t, r, 1, "success")
			if err := <-seen; err != nil {
				t.Fatal(err)
			}
			repos = append(repos, r)
		}
		kept := func() (blobs int) {
			t.Helper()
			for _, kind := range []string{"artifacts", "caches", "workspaces"} {
				n, err := h.service.Blobs(t.Context(), "pipelines/"+kind+"/")
				must(t, err)
				blobs += n
			}
			return blobs
		}
		must(t, h.forge.Delete(t.Context(), repos[0].ID, h.actor("ada")))
		for range 2 { // the second finds nothing
			must(t, h.service.Sweep(t.Context()))
			if blobs := kept(); blobs != 3 {
				t.Errorf("%d blobs in the store, want the 3 of the project that stays", blobs)
			}
		}
		if rows, err := h.service.Kept(t.Context(), repos[0].ID); err != nil || rows != 0 {
			t.Errorf("%d rows of the deleted project are kept, %v, want none", rows, err)
		}
		if rows, err := h.service.Kept(t.Context(), repos[1].ID); err != nil || rows != 3 {
			t.Errorf("%d rows of the other project are kept, %v, want 3", rows, err)
		}
	})
}

// TestManyLayers checks that a workspace of many layers is read one after the other: each takes a file or a connection
// of the server.
func TestManyLayers(t *testing.T) {
	const layers = 20
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		counted := &countedStore{Store: h.World.Blobs}
		h.World.Blobs = counted
		seen := make(chan error, 1)
		h.engine.Play(func(ctx context.Context, _ execute.Task, host execute.Host,
			_ execute.Reporter) (execute.Outcome, error) {
			seen <- attachMany(ctx, host, layers)
			return execute.Success, nil
		})
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.until(t, r, 1, "success")
		if err := <-seen; err != nil {
			t.Error(err)
		}
		if most, left := counted.most.Load(), counted.open.Load(); most != 1 || left != 0 {
			t.Errorf("%d layers were open at once and %d are open still, want 1 and none", most, left)
		}
	})
}

// attachMany reads a workspace to its end, and another time only its beginning.
func attachMany(ctx context.Context, host execute.Host, layers int) error {
	want := ""
	for i := range layers {
		text := fmt.Sprint(i, ";")
		if err := host.Persist(ctx, strings.NewReader(text)); err != nil {
			return err
		}
		want += text
	}
	r, err := host.Attach(ctx)
	if err != nil {
		return err
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != want || r.Close() != nil {
		return fmt.Errorf("the workspace: %q, %w, want %q", got, err, want)
	}
	if r, err = host.Attach(ctx); err != nil {
		return err
	}
	if _, err := io.ReadFull(r, make([]byte, 3)); err != nil {
		return err
	}
	return r.Close()
}

// countedStore counts what is open of a store.
type countedStore struct {
	blob.Store
	open, most atomic.Int64
}

func (s *countedStore) Open(ctx context.Context, key string) (blob.Reader, blob.Info, error) {
	r, info, err := s.Store.Open(ctx, key)
	if err != nil {
		return r, info, err
	}
	s.most.Store(max(s.most.Load(), s.open.Add(1)))
	return &countedReader{r, s}, info, nil
}

type countedReader struct {
	blob.Reader
	of *countedStore
}

func (r *countedReader) Close() error {
	r.of.open.Add(-1)
	return r.Reader.Close()
}

// TestChangesOfDeletedProjects checks that what is asked of a project while its repository is deleted leaves nothing:
// what comes after the deletion would never be removed.
func TestChangesOfDeletedProjects(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		ctx, p := t.Context(), h.service.Projects()
		r := h.repo(t, "ada", "stoa", false)
		h.push(t, r, "main", config(false, "build"), "one")
		h.until(t, r, 1, "success")
		ada := h.User("ada")
		must(t, h.forge.Delete(ctx, r.ID, h.actor("ada")))
		for name, change := range map[string]func() error{
			"a variable": func() error { _, err := p.SetVariable(ctx, r, "NAME", "secret"); return err },
			"a key":      func() error { _, err := p.CreateCheckoutKey(ctx, r, project.DeployKey, ""); return err },
			"settings":   func() error { return p.ChangeSettings(ctx, r, project.SettingsChange{}) },
			"a follower": func() error { _, err := p.Follow(ctx, r, ada.ID, true); return err },
			"a token": func() error {
				_, _, err := p.CreateToken(ctx, r, &identity.Caller{UserID: ada.ID}, "x", "all")
				return err
			},
			"jobs": func() error {
				_, err := h.service.Trigger(ctx, r, pipelines.TriggerOptions{}, h.actor("ada"), build.WhyAPI)
				return err
			},
		} {
			if err := change(); !refusal.Has(err, refusal.NotFound) {
				t.Errorf("%s: %v, want not found", name, err)
			}
		}
		for _, table := range []string{"projects", "envvars", "keys", "follows", "tokens", "schedules"} {
			if n, err := h.service.Count(ctx, `SELECT COUNT(*) FROM pipelines_`+table); n != 0 || err != nil {
				t.Errorf("%d rows of %s are left, %v", n, table, err)
			}
		}
		if n, err := h.service.Count(ctx, `SELECT COUNT(*) FROM pipelines_builds`); n != 1 || err != nil {
			t.Errorf("%d jobs, %v, want the one of before", n, err)
		}
	})
}

package pipelines_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// TestWhatAProjectKeeps holds that caches, artifacts and workspaces of a project
// have a bound: old caches make room for new ones, the others are refused.
func TestWhatAProjectKeeps(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.CacheBytes, c.ArtifactBytes, c.WorkspaceBytes = 100, 100, 100
	run(t, c, nil, func(t *testing.T, h *house) {
		seen := make(chan error, 1)
		h.service.Play(func(ctx context.Context, _ execute.Task, host execute.Host, _ execute.Reporter) (execute.Outcome, error) {
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
		if err := host.SaveCache(ctx, fmt.Sprintf("epoch-%d", i), strings.NewReader(strings.Repeat("x", 40))); err != nil {
			return fmt.Errorf("cache %d: %w", i, err)
		}
	}
	if err := host.SaveCache(ctx, "epoch-4", strings.NewReader("x")); !errors.Is(err, execute.ErrExists) {
		return fmt.Errorf("the newest cache again: %w", err)
	}
	if err := host.SaveCache(ctx, "huge", strings.NewReader(strings.Repeat("x", 101))); !errors.Is(err, execute.ErrRefused) {
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

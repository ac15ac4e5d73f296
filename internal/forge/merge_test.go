package forge_test

import (
	"errors"
	"testing"

	"stoa.dev/stoa/internal/forge"
)

// TestMerge: branches that change different files merge into a commit of two parents,
// once; those that change the same line do not.
func TestMerge(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		ctx := t.Context()
		r, err := h.forge.Create(ctx, forge.NewRepository{Owner: "ada", Name: "merge", Actor: h.ada})
		if err != nil {
			t.Fatal(err)
		}
		commit := func(branch, file, text string) {
			t.Helper()
			n := forge.NewCommit{
				Actor: h.ada, Email: "ada@example.com", Message: file, Branch: branch, Files: map[string]string{file: text},
			}
			if _, err := h.forge.CommitFiles(ctx, r, n); err != nil {
				t.Fatal(err)
			}
		}
		commit("main", "a.txt", "a\n")
		for _, branch := range []string{"side", "clash"} {
			if err := h.forge.CreateRef(ctx, r, "refs/heads/"+branch, "main", h.ada); err != nil {
				t.Fatal(err)
			}
		}
		commit("main", "a.txt", "main\n")
		commit("side", "b.txt", "b\n")
		commit("clash", "a.txt", "clash\n")
		head := func(branch string) string {
			t.Helper()
			sha, err := h.forge.Resolve(ctx, r, branch)
			if err != nil {
				t.Fatal(err)
			}
			return sha
		}
		request := forge.MergeRequest{Branch: "main", Head: head("side"), Message: "Merge", Actor: h.ada, Email: "a@b"}
		sha, err := h.forge.Merge(ctx, r, request)
		if err != nil {
			t.Fatal(err)
		}
		c, err := h.forge.Commit(ctx, r, "main")
		if err != nil || c.SHA != sha || len(c.Parents) != 2 || c.Message != "Merge" {
			t.Errorf("%+v (%v), want the merge %s", c, err, sha)
		}
		if again, err := h.forge.Merge(ctx, r, request); err != nil || again != sha {
			t.Errorf("merged again as %s (%v), want %s", again, err, sha)
		}
		request.Head = head("clash")
		if _, err := h.forge.Merge(ctx, r, request); !errors.Is(err, forge.ErrForbidden) {
			t.Errorf("a conflict is %v", err)
		}
		if ok, err := h.forge.Mergeable(ctx, r, sha, request.Head); ok || err != nil {
			t.Errorf("a conflict is mergeable: %v (%v)", ok, err)
		}
		if err := h.forge.CreateRef(ctx, r, "refs/tags/v1", "main", h.ada); err != nil {
			t.Error(err)
		}
		if err := h.forge.CreateRef(ctx, r, "refs/tags/v1", "main", h.ada); !errors.Is(err, forge.ErrInvalid) {
			t.Errorf("a tag twice is %v", err)
		}
		if err := h.forge.CreateRef(ctx, r, "refs/tags/a..b", "main", h.ada); !errors.Is(err, forge.ErrInvalid) {
			t.Errorf("a bad name is %v", err)
		}
	})
}

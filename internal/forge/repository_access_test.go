package forge_test

import (
	"context"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
)

// TestBoundTokens checks that a token of one repository opens that one, and none
// that bears its name later.
func TestBoundTokens(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		create := func(name string) forge.Repository {
			t.Helper()
			r, err := h.forge.Create(t.Context(), forge.NewRepository{Owner: "ada", Name: name, Private: true, Actor: h.ada})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		want := func(name string, c *identity.Caller, r forge.Repository, want forge.Permission) {
			t.Helper()
			if got, err := h.forge.Access(t.Context(), c, r); err != nil || got != want {
				t.Errorf("%s: got %v, %v, want %v", name, got, err, want)
			}
		}
		first := create("stoa")
		token := &identity.Caller{Kind: identity.KindWorkflow, Repo: "ada/stoa", TokenID: 7, CreatedAt: h.Clock.Now()}
		want("its own", token, first, forge.Write)

		name := "renamed"
		renamed, err := h.forge.Update(t.Context(), first.ID, forge.Change{Name: &name}, h.ada)
		if err != nil {
			t.Fatal(err)
		}
		want("renamed", token, renamed, forge.Write)
		h.Clock.Advance(time.Hour)
		second := create("stoa")
		want("another of its name", token, second, forge.None)

		h.forge.Bind(func(_ context.Context, id int64) (int64, error) {
			return map[int64]int64{7: first.ID}[id], nil
		})
		want("known by its id", token, renamed, forge.Write)
		want("known by its id, another of its name", token, second, forge.None)
	})
}

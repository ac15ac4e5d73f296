package forge_test

import (
	"fmt"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/forge/ownedrows"
	"stoa.dev/stoa/internal/platform/ownership"
)

const (
	testKeptPushes = 5
	testPushLife   = 72 * time.Hour
)

// record writes rows of pushes, some seconds after another.
func (h *testServer) record(t *testing.T, r forge.Repository, first, n int) {
	t.Helper()
	if err := h.World.DB.Write(t.Context(), forge.RecordPushes(r, h.ada, h.World.Clock.Now(), first, n)); err != nil {
		t.Fatal(err)
	}
}

// recorded lists the refs on record, oldest first.
func (h *testServer) recorded(t *testing.T, r forge.Repository) string {
	t.Helper()
	list, err := h.forge.Pushes(t.Context(), r, 1000)
	if err != nil {
		t.Fatal(err)
	}
	refs := []string{}
	for i := len(list) - 1; i >= 0; i-- {
		refs = append(refs, list[i].Ref)
	}
	return fmt.Sprint(refs)
}

// mentioned is what the removal of ada's account counts.
func (h *testServer) mentioned(t *testing.T) string {
	t.Helper()
	ada := ownership.Owner{Kind: ownership.User, ID: h.ada.ID, Name: h.ada.Name}
	held, err := ownership.Count(t.Context(), h.World.DB, ownedrows.All(), ada, ownership.Mentions)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(held)
}

func (h *testServer) nextDay(t *testing.T) {
	t.Helper()
	h.Clock.Advance(24 * time.Hour)
	if err := h.World.Jobs.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestPushesAreKeptForAWhile: the newest of a repository stay, of those none that are old, and
// the number that the removal of an account says is that of all.
func TestPushesAreKeptForAWhile(t *testing.T) {
	c := forge.DefaultConfig()
	c.KeptPushes, c.PushLife = testKeptPushes, testPushLife
	runConfig(t, c, func(t *testing.T, h *testServer) {
		many := h.create(t, forge.NewRepository{Owner: "ada", Name: "many"})
		few := h.create(t, forge.NewRepository{Owner: "ada", Name: "few"})
		all := forge.PushBatch + testKeptPushes + 3
		h.record(t, many, 0, all)
		h.record(t, few, 0, 2)
		counted := fmt.Sprintf("[{pushes %d}]", all+2)
		h.nextDay(t)
		want := fmt.Sprintf("[r%d r%d r%d r%d r%d]", all-5, all-4, all-3, all-2, all-1)
		if got := h.recorded(t, many); got != want {
			t.Errorf("after a day %s are on record, want %s", got, want)
		}
		if got := h.recorded(t, few); got != "[r0 r1]" {
			t.Errorf("of a repository with few pushes %s are on record, want both", got)
		}
		if got := h.mentioned(t); got != counted {
			t.Errorf("the account has %s, want %s", got, counted)
		}
		h.nextDay(t)
		h.record(t, few, 2, 1)
		h.nextDay(t)
		h.nextDay(t)
		if got := h.recorded(t, many) + h.recorded(t, few); got != "[][r2]" {
			t.Errorf("after their life %s are on record, want the youngest", got)
		}
		if got := h.mentioned(t); got != fmt.Sprintf("[{pushes %d}]", all+3) {
			t.Errorf("the account has %s, want those that were forgotten too", got)
		}
		if err := h.forge.Delete(t.Context(), many.ID, h.ada); err != nil {
			t.Fatal(err)
		}
		if got := h.mentioned(t); got != "[{pushes 3}]" {
			t.Errorf("the account has %s, want none of a repository that is gone", got)
		}
	})
}

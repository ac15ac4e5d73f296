package forge_test

import (
	"fmt"
	"testing"

	"stoa.dev/stoa/internal/forge"
)

// TestOldNamesOfAnOwner: the oldest go when an owner has too many, whatever repositories they lead to.
func TestOldNamesOfAnOwner(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		h.User("grace")
		first := h.create(t, forge.NewRepository{Owner: "ada", Name: "z-first"})
		other := h.create(t, forge.NewRepository{Owner: "grace", Name: "old"})
		rename := func(r forge.Repository, name string) {
			t.Helper()
			if _, err := h.forge.Update(t.Context(), r.ID, forge.Change{Name: &name}, h.ada); err != nil {
				t.Fatal(err)
			}
		}
		leads := func(owner, name string) bool {
			_, _, err := h.forge.Find(t.Context(), owner, name)
			return err == nil
		}
		rename(other, "new")
		rename(first, "first-now")
		second := h.create(t, forge.NewRepository{Owner: "ada", Name: "n0"})
		for i := range forge.MaxRedirects {
			if !leads("ada", "z-first") {
				t.Fatalf("after %d renames of another repository an old name is lost", i)
			}
			rename(second, fmt.Sprint("n", i+1))
		}
		var n int
		err := h.World.DB.QueryRow(t.Context(),
			`SELECT COUNT(*) FROM forge_redirects WHERE folded_owner = 'ada'`).Scan(&n)
		if err != nil || n != forge.MaxRedirects {
			t.Errorf("%d old names are kept, %v; want %d", n, err, forge.MaxRedirects)
		}
		if leads("ada", "z-first") || !leads("ada", "n0") || !leads("grace", "old") {
			t.Errorf("first of all %v, oldest but one %v, another owner's %v; want false, true, true",
				leads("ada", "z-first"), leads("ada", "n0"), leads("grace", "old"))
		}
		// A name that is left again counts as new.
		rename(second, "n0")
		rename(second, "elsewhere")
		rename(second, "farther")
		if !leads("ada", "n0") || leads("ada", "n1") {
			t.Errorf("a name that was left again %v, the oldest %v; want true, false", leads("ada", "n0"), leads("ada", "n1"))
		}
	})
}

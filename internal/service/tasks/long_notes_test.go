package tasks_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/tasks"
)

// TestClearWithLongNotes: a list is cleared whatever its tasks hold, also where they are together more than a request
// may have in memory.
func TestClearWithLongNotes(t *testing.T) {
	t.Parallel()
	small := func(w *world.World, identity *identity.Identity) module.Module {
		w.Memory = budget.New(budget.MemoryOptions(1)) // 64 MiB, of which one caller may have half
		return build(tasks.DefaultConfig())(w, identity)
	}
	identitytest.Run(t, small, func(t *testing.T, h *identitytest.Server) {
		c := client{t: t, h: h, token: h.Token("ada")}
		parent := c.insert("@default", `{"title":"parent","status":"completed"}`, "")
		child := c.insert("@default", `{"title":"child","notes":"`+strings.Repeat("\U0001F600", 8192)+`"}`,
			"?parent="+text(parent, "id"))
		const children = 1200
		err := h.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			for n := 1; n < children; n++ {
				if _, err := tx.Exec(ctx, `
					INSERT INTO tasks_tasks (id, list_id, user_id, parent, rank, ranked_at, title, notes, status, hidden, deleted,
						version, updated_at)
					SELECT $2, list_id, user_id, parent, rank, ranked_at, title, notes, status, hidden, deleted, version, updated_at
					FROM tasks_tasks WHERE id = $1`, text(child, "id"), fmt.Sprint("copy", n)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c.ok(204, "POST", "/lists/@default/clear", "")
		var raised int
		err = h.World.DB.QueryRow(t.Context(), `SELECT COUNT(DISTINCT rank) FROM tasks_tasks
			WHERE parent = '' AND NOT hidden AND version = 2`).Scan(&raised)
		if err != nil || raised != children {
			t.Errorf("%d tasks are at the top level, %v; want %d", raised, err, children)
		}
	})
}

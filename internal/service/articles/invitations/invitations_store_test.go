package invitations

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

// TestStore replaces an invitation of the same address, and removes one once.
func TestStore(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, now := t.Context(), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		first := Invitation{1, "a@example.com", 2, now, now.Add(lifetime)}
		second := Invitation{1, "a@example.com", 3, now.Add(time.Second), now.Add(lifetime)}
		write := func(fn func(ctx context.Context, tx *database.Tx) error) error { return db.Write(ctx, fn) }
		for _, v := range []Invitation{first, second} {
			if err := write(func(ctx context.Context, tx *database.Tx) error { return upsert(ctx, tx, v) }); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := byEmail(ctx, db, 1, "a@example.com", now); err != nil || !cmp.Equal(got, second) {
			t.Errorf("invitation: %v %s", err, cmp.Diff(second, got))
		}
		if rows, total, err := list(ctx, db, 1, now, page.Numbers{Page: 1, Size: 5}); err != nil || total != 1 ||
			len(rows) != 1 {
			t.Errorf("list: %v, %d, %v", rows, total, err)
		}
		drop := func(v Invitation) error {
			return write(func(ctx context.Context, tx *database.Tx) error { return remove(ctx, tx, v, now) })
		}
		if err := drop(first); !refusal.Is(err) {
			t.Errorf("the replaced one: %v, want a refusal", err)
		}
		if err := drop(second); err != nil {
			t.Error(err)
		}
		if err := drop(second); !refusal.Is(err) {
			t.Errorf("twice: %v, want a refusal", err)
		}
	}, database.Migrations{Module: "articles", Files: os.DirFS("../migrations")})
}

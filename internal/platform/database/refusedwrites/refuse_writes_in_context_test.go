package refusedwrites_test

import (
	"context"
	"errors"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/database/refusedwrites"
)

// TestRefusedWrites checks that writes of a marked context fail and others do not.
func TestRefusedWrites(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ran := false
		write := func(ctx context.Context) error {
			return db.Write(ctx, func(context.Context, *database.Tx) error {
				ran = true
				return nil
			})
		}
		refused := refusedwrites.With(t.Context(), database.ErrDiskFull)
		if err := write(refused); !errors.Is(err, database.ErrDiskFull) || ran {
			t.Errorf("got %v and ran %v, want a full disk", err, ran)
		}
		if err := write(t.Context()); err != nil || !ran {
			t.Errorf("got %v, want a write", err)
		}
		if err := db.Read(refused, func(context.Context, *database.Tx) error { return nil }); err != nil {
			t.Errorf("a read: %v", err)
		}
	})
}

package project

import (
	"context"
	"os"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestFollowedAreBounded checks that followed projects are listed from a bounded number of rows.
func TestFollowedAreBounded(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, now := t.Context(), time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			for i := range int64(maxFollowed + 5) {
				if err := AutoFollow(ctx, tx, 1, i+1, now.Add(time.Duration(i)*time.Second)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		ids, err := listFollowed(ctx, db, 1)
		if err != nil || len(ids) != maxFollowed || ids[0] != 6 || ids[maxFollowed-1] != maxFollowed+5 {
			t.Errorf("%d are listed, %v, want the %d followed last, oldest first", len(ids), err, maxFollowed)
		}
	}, database.Migrations{Module: "pipelines", Files: os.DirFS("../migrations")})
}

package requestlog_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/generate/requestlog"
)

// TestKeep stores entries of two users: of each the newest are kept, and all that the bound has place for.
func TestKeep(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		keep := func(user int64, size int, most int64) {
			t.Helper()
			e := requestlog.Entry{
				UserID: user, Request: json.RawMessage(strings.Repeat("1", size/2)),
				Response: json.RawMessage(strings.Repeat("2", size-size/2)), CreatedAt: now, ExpiresAt: now.Add(time.Hour),
			}
			if err := requestlog.Keep(t.Context(), db, e, most); err != nil {
				t.Fatal(err)
			}
		}
		sizes := func(user int64) (list []int) {
			t.Helper()
			entries, err := requestlog.OfUser(t.Context(), db, user, 1<<60, now, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				list = append(list, len(e.Request)+len(e.Response))
			}
			return list
		}
		for range 4 {
			keep(1, 40, 100)
			keep(2, 10, 100)
		}
		if got := sizes(1); len(got) != 3 {
			t.Errorf("of 40 bytes each: %v, want three, two and a half of which are 100", got)
		}
		if got := sizes(2); len(got) != 4 {
			t.Errorf("of the other user: %v, want four of 10", got)
		}
		keep(1, 500, 100)
		if got := sizes(1); len(got) != 1 || got[0] != 500 {
			t.Errorf("after one that is larger than all may be: %v, want it alone", got)
		}
		err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, err := requestlog.DeleteExpired(ctx, tx, now.Add(time.Hour), 100)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		keep(1, 40, 100)
		if got := sizes(1); len(got) != 1 || got[0] != 40 {
			t.Errorf("after all expired: %v, want the new one", got)
		}
	}, database.Migrations{Module: "generate", Files: os.DirFS("../migrations")})
}

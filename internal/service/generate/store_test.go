package generate

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/generate/api"
	"stoa.dev/stoa/internal/service/generate/requestlog"
)

func TestStore(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, now := t.Context(), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		c := Cache{
			ID: "c", UserID: 1, Model: "models/m", Size: 4, Tokens: []api.ModalityCount{{Modality: "TEXT", TokenCount: 1}},
			CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(time.Hour),
		}
		entry := requestlog.Entry{
			UserID: 1, Request: []byte(`{}`), Response: []byte(`{}`), CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		}
		write := func(fn func(ctx context.Context, tx *database.Tx) error) {
			t.Helper()
			if err := db.Write(ctx, fn); err != nil {
				t.Fatal(err)
			}
		}
		write(func(ctx context.Context, tx *database.Tx) error {
			return insertCache(ctx, tx, c, []byte(`{"contents":[{"role":"user"}]}`))
		})
		if err := requestlog.Keep(ctx, db, entry, 1000); err != nil {
			t.Fatal(err)
		}
		if got, err := cacheByID(ctx, db, 1, "c", now); err != nil || !cmp.Equal(got, c) {
			t.Errorf("cache: %v %s", err, cmp.Diff(c, got))
		}
		want := CachePrefix{Contents: []api.Content{{Role: api.RoleUser}}}
		if got, err := cachePrefixByID(ctx, db, "c"); err != nil || !cmp.Equal(got, want) {
			t.Errorf("prefix: %v, %v", got, err)
		}
		var refused *api.Error
		update := func(c Cache) error {
			return db.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return updateCache(ctx, tx, c) })
		}
		if err := update(c); err != nil {
			t.Errorf("update: %v", err)
		}
		if err := update(Cache{ID: "deleted", UpdatedAt: now, ExpiresAt: now}); !errors.As(err, &refused) {
			t.Errorf("update what is gone: %v, want a refusal", err)
		}
		if list, err := requestlog.OfUser(ctx, db, 1, 2, now, 10); err != nil || len(list) != 1 {
			t.Errorf("log: %v, %v", list, err)
		}
		write(func(ctx context.Context, tx *database.Tx) error {
			later := now.Add(time.Hour)
			_, err := deleteExpiredCaches(ctx, tx, later, 100)
			_, failed := requestlog.DeleteExpired(ctx, tx, later, 100)
			return errors.Join(err, failed)
		})
		if list, err := requestlog.OfAll(ctx, db, 2, now, 10); err != nil || len(list) != 0 {
			t.Errorf("log after the sweep: %v, %v", list, err)
		}
		if _, err := cachePrefixByID(ctx, db, "c"); !errors.As(err, &refused) {
			t.Errorf("cache after the sweep: %v, want a refusal", err)
		}
	}, migrationFiles())
}

package kms

import (
	"context"
	"errors"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

func TestStoredKeys(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		insert := func(k Key) error {
			return db.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return insertKey(ctx, tx, k) })
		}
		if _, ok, err := lastKey(ctx, db); ok || err != nil {
			t.Fatalf("lastKey of an empty store = %v, %v", ok, err)
		}
		at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		for _, k := range []Key{
			{ID: "a", Seq: 1, Provider: "local", Version: "a", Material: []byte{1}, CreatedAt: at},
			{ID: "b", Seq: 2, Provider: "transit", Version: "3", Stamp: "s", CreatedAt: at},
			{ID: "c", Provider: "transit", Version: "1", CreatedAt: at, DestroyedAt: at},
			{ID: "d", Provider: "transit", Version: "2", CreatedAt: at, DestroyedAt: at},
		} {
			if err := insert(k); err != nil {
				t.Fatalf("insert %s: %v", k.ID, err)
			}
		}
		for name, k := range map[string]Key{
			"an id again":  {ID: "a", Seq: 3, CreatedAt: at},
			"a seq again":  {ID: "e", Seq: 2, CreatedAt: at},
			"a dead id":    {ID: "c", Seq: 4, CreatedAt: at},
			"without name": {ID: "d", Seq: 5, CreatedAt: at},
		} {
			if err := insert(k); !errors.Is(err, database.ErrUnique) {
				t.Errorf("%s: %v, want ErrUnique", name, err)
			}
		}
		last, ok, err := lastKey(ctx, db)
		if !ok || err != nil || last.ID != "b" || last.Stamp != "s" || !last.CreatedAt.Equal(at) {
			t.Errorf("lastKey = %+v, %v, %v; want b", last, ok, err)
		}
		for i, want := range []bool{true, false} {
			if got := destroyed(ctx, t, db, "a", at); got != want {
				t.Errorf("destroy %d changed %v, want %v", i, got, want)
			}
		}
		keys, err := listKeys(ctx, db)
		if err != nil || len(keys) != 4 || keys[2].ID != "a" || keys[2].Material != nil ||
			keys[2].DestroyedAt.IsZero() || keys[3].ID != "b" {
			t.Errorf("storedKeys = %+v, %v; want a without material, then b", keys, err)
		}
	}, migrations())
}

func destroyed(ctx context.Context, t *testing.T, db *database.DB, id string, at time.Time) (changed bool) {
	t.Helper()
	err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		changed, err = destroyKey(ctx, tx, id, at)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

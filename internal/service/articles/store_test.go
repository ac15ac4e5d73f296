package articles

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/articles/refusal"
	"stoa.dev/stoa/internal/service/articles/tagging"
)

func TestStore(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		i := Item{
			author: author{UserID: 7}, ID: strings.Repeat("a", 20), TeamID: 3, Title: "T", Body: "b\n",
			Rendered: "<p>b</p>", CreatedAt: at, UpdatedAt: at,
		}
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
			if i.Number, err = insertItem(ctx, tx, i); err != nil {
				return err
			}
			tag, err := tagging.Upsert(ctx, tx, 3, "Go")
			if err != nil {
				return err
			}
			again, err := tagging.Upsert(ctx, tx, 3, "GO")
			if err != nil || again != tag {
				t.Errorf("the second spelling made %+v, want %+v (%v)", again, tag, err)
			}
			return tagging.Attach(ctx, tx, i.Number, tag.Number, 0, []string{"1"})
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := itemByID(ctx, db, 3, i.ID)
		if err != nil || got.Title != "T" || !got.CreatedAt.Equal(at) || got.GroupNumber != 0 {
			t.Errorf("item = %+v, %v", got, err)
		}
		var refused *refusal.Error
		if _, err := itemByID(ctx, db, 0, i.ID); !errors.As(err, &refused) || refused.Kind != refusal.NotFound {
			t.Errorf("on another site: %v, want not found", err)
		}
		tags, err := tagging.OfItem(ctx, db, i.Number)
		if err != nil || len(tags) != 1 || tags[0].Name != "Go" || len(tags[0].Versions) != 1 {
			t.Errorf("taggings = %+v, %v", tags, err)
		}
		for range 2 {
			if err := addToCount(ctx, db, countUserItems, 1, 7); err != nil {
				t.Fatal(err)
			}
		}
		counts, err := countsByUser(ctx, db, []int64{7, 8})
		if err != nil || len(counts) != 1 || counts[7] != (userCounts{items: 2}) {
			t.Errorf("counts = %+v, %v, want 2 items of 7", counts, err)
		}
	}, migrationFiles())
}

package analytics_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/analytics"
)

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	onBoth(t, func(c *analytics.Config) { c.MaxProjects = 10 }, func(t *testing.T, d *testServer) {
		t.Run("a key ends on time", d.endsKeys)
		t.Run("keys are bounded", d.boundsKeys)
	})
}

// endsKeys: no sweep has run when the day of a key is over.
func (d *testServer) endsKeys(t *testing.T) {
	path := fmt.Sprintf("%s/%.0f", projects,
		d.data(t, "POST", projects, `{"url":"day.example"}`, "Idempotency-Key: day")["project_id"])
	d.Clock.Advance(24*time.Hour - time.Second)
	d.data(t, "POST", projects, `{"url":"day.example"}`, "Idempotency-Key: day")
	d.ok(t, 409, "POST", projects, `{"url":"next.example"}`, "Idempotency-Key: day")
	d.Clock.Advance(time.Second)
	d.ok(t, 409, "POST", projects, `{"url":"day.example"}`, "Idempotency-Key: day")
	next := d.data(t, "POST", projects, `{"url":"next.example"}`, "Idempotency-Key: day")
	again := d.data(t, "POST", projects, `{"url":"next.example"}`, "Idempotency-Key: day")
	if again["project_id"] != next["project_id"] || again["url"] != "next.example" {
		t.Errorf("a retry with a key that begins anew: got %v, want %v", again, next)
	}
	d.data(t, "GET", path, "")
}

// boundsKeys: the keys of deleted projects go, the oldest first, and those of others stay.
func (d *testServer) boundsKeys(t *testing.T) {
	kept := d.data(t, "POST", projects, `{"url":"kept.example"}`, "Idempotency-Key: kept")
	const many = analytics.MaxKeysOfDeleted + 50
	err := d.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		for n := range many {
			at := d.Clock.Now().Add(time.Duration(n) * time.Millisecond)
			if _, err := tx.Exec(ctx, `INSERT INTO analytics_retries (owner_id, key, fingerprint, project_id, created_at)
				VALUES ($1, $2, '', 1, $3)`, d.user.ID, fmt.Sprintf("gone-%04d", n), database.Time(at)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	d.data(t, "POST", projects, `{"url":"more.example"}`, "Idempotency-Key: more")
	var keys int
	var oldest string
	err = d.World.DB.QueryRow(t.Context(), `SELECT COUNT(*), MIN(key) FROM analytics_retries
		WHERE owner_id = $1 AND key LIKE 'gone-%'`, d.user.ID).Scan(&keys, &oldest)
	if want := fmt.Sprintf("gone-%04d", many-keys); err != nil || keys > analytics.MaxKeysOfDeleted || oldest != want {
		t.Errorf("%d keys of deleted projects, the oldest %s (%v), want at most %d and %s", keys, oldest, err,
			analytics.MaxKeysOfDeleted, want)
	}
	again := d.data(t, "POST", projects, `{"url":"kept.example"}`, "Idempotency-Key: kept")
	if again["project_id"] != kept["project_id"] {
		t.Errorf("a retry of the oldest: got %v, want %v", again, kept)
	}
}

package channel

import (
	"context"
	"os"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestChannelRows: an id is used once, also after its channel has ended.
func TestChannelRows(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx := context.Background()
		now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
		c := row{id: "id", resource: "r", sealed: []byte{1}, number: 1, created: now, expires: now.Add(time.Hour)}
		insert := func() error {
			return db.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return insertChannel(ctx, tx, c) })
		}
		next := func(at time.Time) (rows []row) {
			if err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
				rows, err = nextMessages(ctx, tx, "r", at)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return rows
		}
		if err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO calendar_people (user_id, address, name, list_seq, settings_seq,
				entry_count, channel_count, unended_count) VALUES (0, 'a', '', 0, 0, 0, 0, 0)`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := insert(); err != nil {
			t.Fatal(err)
		}
		if rows := next(now); len(rows) != 1 || rows[0].number != 2 {
			t.Errorf("got %v, want number 2", rows)
		}
		if rows := next(c.expires); len(rows) != 0 {
			t.Errorf("got %v after the end, want none", rows)
		}
		if err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
			return endChannel(ctx, tx, "id", now)
		}); err != nil {
			t.Fatal(err)
		}
		if err := insert(); err == nil {
			t.Error("an id was used twice")
		}
	}, database.Migrations{Module: "calendar", Files: os.DirFS("../migrations")})
}

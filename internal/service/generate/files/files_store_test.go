package files

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/service/generate/api"
)

func TestStore(t *testing.T) {
	t.Parallel()
	databasetest.Run(t, func(t *testing.T, db *database.DB) {
		ctx, now := t.Context(), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		f := File{
			ID: "a", UserID: 1, DisplayName: "é", MimeType: "text/plain", Size: 3, SHA256: "00", State: Processing, Blob: "b",
			CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(time.Hour),
		}
		u := Upload{
			Digest: "d", UserID: 1, FileID: "a", Length: 3, Blob: "x", State: UploadActive,
			CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		}
		first, second := false, false
		err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
			for _, step := range []func() error{
				func() error { return insertUpload(ctx, tx, u) },
				func() error { first, err = endUpload(ctx, tx, "d", UploadFinal, f.ExpiresAt); return err },
				func() error { second, err = endUpload(ctx, tx, "d", UploadCancelled, f.ExpiresAt); return err },
				func() error { return insertFile(ctx, tx, f) },
				func() error {
					_, err := tx.Exec(ctx, `INSERT INTO generate_caches (id, user_id, model, display_name, prefix, size, tokens,
						created_at, updated_at, expires_at) VALUES ('c', 1, '', '', '', 4, '', $1, $1, $2)`,
						database.Time(now), database.Time(f.ExpiresAt))
					return err
				},
			} {
				if err := step(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || !first || second {
			t.Fatalf("write: %v; ended %v, then %v", err, first, second)
		}
		if got, err := fileByID(ctx, db, 1, "a", now); err != nil || !cmp.Equal(got, f) {
			t.Errorf("file: %v %s", err, cmp.Diff(f, got))
		}
		late := f
		late.Blob, late.State = "of a deleted file with the same name", Failed
		err = db.Write(ctx, func(ctx context.Context, tx *database.Tx) error { return updateProcessed(ctx, tx, late) })
		if got, missing := fileByID(ctx, db, 1, "a", now); errors.Join(err, missing) != nil || got.State != Processing {
			t.Errorf("after the end of another file: %v, %v, %v", got.State, err, missing)
		}
		var refused *api.Error
		if _, err := fileByID(ctx, db, 2, "a", now); !errors.As(err, &refused) {
			t.Errorf("another user asked for the file: %v, want a refusal", err)
		}
		if used, count, err := usage(ctx, db, 1, now); err != nil || used != 3+4 || count != 2 {
			t.Errorf("usage: %d bytes, %d, %v, want 7 and 2", used, count, err)
		}
		var gone []File
		if err := db.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
			if gone, err = DeleteExpired(ctx, tx, now.Add(time.Hour), 10); err != nil {
				return err
			}
			_, err = DeleteExpiredUploads(ctx, tx, now.Add(time.Hour), 10)
			return err
		}); err != nil || len(gone) != 1 {
			t.Errorf("expired: %v, %v", gone, err)
		}
		if _, err := uploadByDigest(ctx, db, "d", now); !errors.Is(err, database.ErrNotFound) {
			t.Errorf("upload after the sweep: %v, want ErrNotFound", err)
		}
	}, database.Migrations{Module: "generate", Files: os.DirFS("../migrations")})
}

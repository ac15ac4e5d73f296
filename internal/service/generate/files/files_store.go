package files

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

const fileColumns = `id, user_id, display_name, mime_type, size, sha256, state, blob, tokens, error,
	generated, created_at, updated_at, expires_at`

func scanFile(s database.Scanner) (f File, err error) {
	var tokens int64
	err = s.Scan(&f.ID, &f.UserID, &f.DisplayName, &f.MimeType, &f.Size, &f.SHA256, (*string)(&f.State), &f.Blob,
		&tokens, &f.Error, &f.Generated,
		database.ScanTime(&f.CreatedAt), database.ScanTime(&f.UpdatedAt), database.ScanTime(&f.ExpiresAt))
	f.Tokens = int(tokens)
	return f, err
}

// fileByID finds a file of a user that has not expired. Names are the user's own:
// two users may each have a file of one name.
func fileByID(ctx context.Context, q database.Querier, userID int64, id string, now time.Time) (File, error) {
	f, err := database.One(ctx, q, scanFile, `SELECT `+fileColumns+` FROM generate_files
		WHERE id = $1 AND user_id = $2 AND expires_at > $3`, id, userID, database.Time(now))
	if errors.Is(err, database.ErrNotFound) {
		return f, errNotFound(id)
	}
	return f, err
}

func listFiles(
	ctx context.Context, q database.Querier, userID int64, after Cursor, now time.Time, limit int,
) ([]File, error) {
	return database.All(ctx, q, scanFile, `SELECT `+fileColumns+` FROM generate_files
		WHERE user_id = $1 AND expires_at > $2 AND (created_at < $3 OR (created_at = $3 AND id < $4))
		ORDER BY created_at DESC, id DESC LIMIT $5`,
		userID, database.Time(now), database.Time(after.CreatedAt), after.ID, limit)
}

// usage is how many bytes a user's files, open uploads, caches and batches take, and how
// many of them there are.
func usage(ctx context.Context, q database.Querier, userID int64, now time.Time) (bytes, count int64, err error) {
	err = q.QueryRow(ctx, `SELECT
		(SELECT COALESCE(SUM(size), 0) FROM generate_files WHERE user_id = $1 AND expires_at > $2) +
		(SELECT COALESCE(SUM(size), 0) FROM generate_caches WHERE user_id = $1 AND expires_at > $2) +
		(SELECT COALESCE(SUM(size), 0) FROM generate_batches WHERE user_id = $1 AND expires_at > $2) +
		(SELECT COALESCE(SUM(CASE WHEN length < 0 THEN received ELSE length END), 0) FROM generate_uploads
			WHERE user_id = $1 AND expires_at > $2 AND state = 'active'),
		(SELECT COUNT(*) FROM generate_files WHERE user_id = $1 AND expires_at > $2) +
		(SELECT COUNT(*) FROM generate_caches WHERE user_id = $1 AND expires_at > $2) +
		(SELECT COUNT(*) FROM generate_batches WHERE user_id = $1 AND expires_at > $2) +
		(SELECT COUNT(*) FROM generate_uploads WHERE user_id = $1 AND expires_at > $2 AND state = 'active')`,
		userID, database.Time(now)).Scan(&bytes, &count)
	return bytes, count, err
}

func insertFile(ctx context.Context, q database.Querier, f File) error {
	_, err := q.Exec(ctx, `INSERT INTO generate_files (`+fileColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		f.ID, f.UserID, f.DisplayName, f.MimeType, f.Size, f.SHA256, string(f.State), f.Blob, int64(f.Tokens), f.Error,
		f.Generated, database.Time(f.CreatedAt), database.Time(f.UpdatedAt), database.Time(f.ExpiresAt))
	return err
}

// updateProcessed ends the processing of a file, once. It names the bytes, as
// deleteFile does and for its reason.
func updateProcessed(ctx context.Context, q database.Querier, f File) error {
	_, err := q.Exec(ctx, `UPDATE generate_files SET state = $1, tokens = $2, error = $3, updated_at = $4
		WHERE id = $5 AND user_id = $6 AND blob = $7 AND state = 'PROCESSING'`,
		string(f.State), int64(f.Tokens), f.Error, database.Time(f.UpdatedAt), f.ID, f.UserID, f.Blob)
	return err
}

// deleteFile also deletes the upload session, so that the name is free again.
// It names the bytes, not only the id: the name may be another file's by now.
func deleteFile(ctx context.Context, tx *database.Tx, f File) error {
	r, err := tx.Exec(ctx, `DELETE FROM generate_files WHERE id = $1 AND user_id = $2 AND blob = $3`,
		f.ID, f.UserID, f.Blob)
	if err != nil || r.RowsAffected == 0 {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM generate_uploads WHERE file_id = $1 AND user_id = $2`, f.ID, f.UserID)
	return err
}

// DeleteExpired deletes files that have expired, so many at most, and gives them: their bytes must go too.
func DeleteExpired(ctx context.Context, tx *database.Tx, now time.Time, limit int) ([]File, error) {
	return database.All(ctx, tx, scanFile, `DELETE FROM generate_files WHERE (user_id, id) IN (
		SELECT user_id, id FROM generate_files WHERE expires_at <= $1 LIMIT $2) RETURNING `+fileColumns,
		database.Time(now), limit)
}

// DeleteExpiredUploads deletes upload sessions that have expired, so many at most, and returns how many.
func DeleteExpiredUploads(ctx context.Context, tx *database.Tx, now time.Time, limit int) (int, error) {
	r, err := tx.Exec(ctx, `DELETE FROM generate_uploads WHERE digest IN (
		SELECT digest FROM generate_uploads WHERE expires_at <= $1 LIMIT $2)`, database.Time(now), limit)
	return int(r.RowsAffected), err
}
